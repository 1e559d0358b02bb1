//! Layouts in the notation, and the places and words of mistakes.

use super::NotationError;
use crate::layout::{Layout, Ranks};

fn error<const D: usize>(text: &str) -> NotationError {
    text.parse::<Layout<D>>().expect_err(text)
}

#[test]
fn one_rank_is_a_grid_of_its_own() {
    for text in ["(*, *)", "(*, *) onto 1", "(*, *) onto ()"] {
        assert_eq!(text.parse::<Layout<2>>().unwrap().to_string(), "(*, *)");
    }
}

#[test]
fn copies_are_layouts_on_the_ranks_behind() {
    for (text, wanted) in [
        ("block onto 3 copies 2", vec!["block onto 3", "block onto 3 ranks 3..6"]),
        ("* copies 3 storage fortran ranks 1..2", vec!["1..2", "2..3", "3..4"]),
        ("block onto 2 ranks [5, 1] Copies 2", vec!["[5, 1]", "[7, 3]"]),
        ("cyclic onto 2", vec!["cyclic onto 2"]),
        ("* copies 1", vec!["*"]),
    ] {
        let found = Layout::<1>::parse_copies(text).expect(text);
        let words: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(words.len(), wanted.len(), "{text}");
        assert!(words.iter().zip(wanted).all(|(found, part)| found.contains(part)), "{words:?}");
    }
}

#[test]
fn copies_are_at_least_one_and_bounded() {
    for (text, part, span) in [
        ("block onto 3 copies 0", "at least one copy", 13..21),
        ("block onto 3 copies 349526", "at most 1048576 ranks", 13..26),
        ("block onto 3 copies 9223372036854775807", "at most 1048576 ranks", 13..39),
        ("gen_block([]) onto 0 copies 2000000", "at most 1048576 ranks", 21..35),
        ("block onto 3 copies 2 copies 2", "given twice", 22..28),
        ("block onto 3 copies x", "expected an integer, found `x`; a text knows", 20..21),
        ("block onto 3 copies 2 along 2", "the grid has axes 0..2; name one of these", 28..29),
        ("block onto 3 copies 2 alon 1", "did you mean `along`?", 22..26),
        ("block onto 2 ranks [3, 1] copies 2 along 1", "write `ranks 4..`", 41..42),
    ] {
        let error = Layout::<1>::parse_copies(text).expect_err(text);
        assert!(error.message.contains(part) && error.span == span, "{error:?}");
    }
}

#[test]
fn lists_stand_in_parentheses_or_in_brackets() {
    let lists = |open: &str, close: &str| {
        let text = "(block, block) onto <2, 3> first <1, 0> of <64, 32> at <0, 2>";
        text.replace('<', open).replace('>', close).parse::<Layout<2>>().unwrap()
    };
    assert_eq!(lists("[", "]"), lists("(", ")"));
}

#[test]
fn scalapack_is_short_for_its_parts() {
    let layout: Layout<2> = "scalapack(16, 8, 2, 3, 1, 2) ranks 6..".parse().unwrap();
    assert_eq!(layout, Layout::scalapack(16, 8, 2, 3, 1, 2).ranks(Ranks::From(6)));
    assert!(error::<2>("scalapack(16, 8, 2)").message.contains("4 or 6 numbers"));
}

#[test]
fn messages_say_where_and_how_to_mend() {
    let cases = [
        (error::<1>("cylic(3) onto 2"), "did you mean `cyclic`", 0..5),
        (error::<1>("cyclic(3)"), "expected `onto`", 9..9),
        (error::<2>("(block, *) onto (2, 3)"), "takes 1 number, found 2; a `*`", 16..22),
        (error::<2>("(*, *) onto 4"), "write `copies 4`", 12..13),
        (error::<2>("(*, *) copies 4"), "`PlanWithCopies::parse`", 7..15),
        (
            error::<1>("block onto 2 copies"),
            "expected an integer, found the end of the text; write",
            19..19,
        ),
        (
            error::<1>("block onto n"),
            "found `n`; a text knows no names, so write the number",
            11..12,
        ),
        (
            error::<1>("block([5, 5]) onto 2"),
            "found a list; a size for each rank is written `gen_block",
            6..7,
        ),
        (error::<1>("blocs([5], [0, 1]) onto 2"), "did you mean `blocks`?", 0..5),
        (
            error::<1>("block(-1) onto 2"),
            "unexpected character `-`; write a number of 0 or more",
            6..7,
        ),
        (error::<1>("block onto 2 ranks 0..=1"), "the end of `ranks` is left out", 22..23),
        (error::<1>("block onto 2.5"), "write a number without a fraction", 12..13),
        (error::<2>("(block; *) onto 2"), "unexpected character `;`; write `,`", 6..7),
        (error::<1>("block onto 4 / 2"), "write the number that it comes to", 13..14),
        (error::<1>("block onto 2?"), "write words, numbers, `,`", 12..13),
        (error::<1>("block onto 2 ranks [0 1]"), "expected `,` or `]`, found `1`", 22..23),
        (error::<1>("block(5 onto 2"), "expected `)`, found `onto`", 8..12),
        (error::<1>("block onto 2 onto 3"), "`onto` is given twice", 13..17),
        (error::<2>("scalapack(2, 2, 2, 2) onto (2, 2)"), "leave `onto` out", 22..26),
        (error::<1>("* storage c onto 1"), "before the other modifiers", 12..16),
        (
            error::<2>("block onto 2"),
            "the array has 2 dimensions, but the layout has 1 distribution;",
            0..5,
        ),
        (error::<1>("block onto 4 ranks 2..5"), "write `ranks 2..6`", 19..23),
        (error::<1>("block onto 4 first 1 first 2"), "given twice", 21..26),
        (error::<2>("(block, block) onto (2, 2) axes (0, 0)"), "each axis of 0..2 once", 32..38),
        (error::<3>("(*, *, block) onto 2 transposed"), "axes", 21..31),
        (error::<1>("block onto 2 order rwo"), "did you mean `row`", 19..22),
        (error::<1>("block onto 2 at 3"), "of [..] at [..]", 13..15),
        (error::<1>("block onto 2 )"), "or the end", 13..14),
        (error::<1>("gen_block(3) onto 2"), "as in `gen_block([10, 20, 30])`", 0..9),
        (error::<2>("(*, gen_block) onto 2"), "one for each rank", 4..13),
        (error::<1>("gen_block([3, 4 onto 2"), "expected `,` or `]`, found `onto`", 16..20),
        (
            error::<2>("scalapak(2, 2, 2, 2)"),
            "unknown distribution `scalapak`; did you mean `scalapack`?",
            0..8,
        ),
        (
            error::<1>("block balancd onto 2"),
            "unknown word `balancd`; did you mean `balanced`?",
            6..13,
        ),
        (
            error::<2>("(*, block balanced lst) onto 2"),
            "unknown word `lst`; did you mean `last`?",
            19..22,
        ),
        (error::<1>("block balanced first onto 2"), "expected `onto`", 15..20),
        (error::<1>("block ontoo 2"), "unknown modifier `ontoo`; did you mean `onto`?", 6..11),
        (
            error::<1>("block onto 2 Storag c"),
            "unknown modifier `Storag`; did you mean `storage`?",
            13..19,
        ),
        (error::<1>("block onto 2 storage fotran"), "did you mean `fortran`?", 21..27),
        (error::<1>("block onto 2 storage rows"), "expected `c` or `fortran`", 21..25),
        (error::<1>("block onto 2 transposed"), "the array has 1 dimension; leave it out", 13..23),
        (error::<1>("scalapack(2, 2, 2, 2)"), "the array has 1 dimension; write the", 0..9),
        (
            error::<1>("(block, *) onto 1"),
            "the array has 1 dimension, but the layout has 2 distributions",
            0..10,
        ),
        (error::<1>("block onto 1 ranks 2..5"), "the grid has 1 rank; write `ranks 2..3`", 19..23),
        (error::<1>("block onto 3 ranks 2"), "a range such as `6..10` or `6..`, or a list", 20..20),
        (
            error::<1>("block onto 3 ranks [2, 5, 2]"),
            "`ranks` lists rank 2 twice, at places 0 and 2",
            26..27,
        ),
        (error::<1>("block onto 3 ranks [2, 5]"), "lists 2 ranks, but the grid has 3", 19..25),
        (error::<1>("block onto 1 ranks [2147483647]"), "above 2^31 - 2", 20..30),
        (error::<2>("(block, block) onto 4"), "`onto` takes 2 numbers, found 1", 20..21),
        (
            error::<1>("cyclic(18446744073709551616) onto 2"),
            "at most 9223372036854775807, found 1844",
            7..27,
        ),
    ];
    for (error, part, span) in cases {
        assert!(error.message.contains(part), "{error}");
        assert_eq!(error.span, span, "{error}");
    }
}
