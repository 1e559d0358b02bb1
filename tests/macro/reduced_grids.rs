//! Rows of different lengths in items of every tier, against the run time and dealing.

use redist::exec::Tier;
use redist::layout::Dist;
use redist::{Layout, Plan, Redistribution, redistribute};
use redist_testing::tiers::same_at_run_time;

const POLE: usize = 20;
const TURN: usize = 2;
const LEVELS: usize = 3;
const BY_POINTS: Layout<2> =
    Layout::new([Dist::Collapsed, Dist::Points(&[20, 27, 36, 36, 27, 20])], [1, 4]);

redistribute! {
    struct Literal: [u32; 166] {
        from: rows([20, 27, 36 x 2, 27, 20], cyclic(2)) onto 2,
        to: points([20, 27, 36, 36, 27, 20]) onto 4,
    }
    struct Levels: [u32; 3, 166] {
        from: (*, rows([20, 27, 36, 36, 27, 20], block)) onto 3,
        to: (block, rows([20, 27, 36, 36, 27, 20], cyclic, points(2))) onto (2, 4) first (0, 1),
    }
    struct Constant: [u32; LEVELS, 166] {
        from: (*, rows([POLE, 27, 36 x 2, 27, POLE], cyclic(TURN), points(TURN))) onto 4,
        to: BY_POINTS,
    }
    struct Flat: [u32; 166] { from: block onto 5, to: rows([20, 27, 36, 36, 27, 20], block) onto 4 }
    struct Part: [u32; 60] {
        from: points([20, 27, 36, 36, 27, 20]) onto 3 of 166 at 30,
        to: cyclic(7) onto 2,
    }
}

#[test]
fn literals() {
    let rows = "[20, 27, 36 x 2, 27, 20]";
    let (by_rows, by_points) =
        (format!("rows({rows}, cyclic(2)) onto 2"), format!("points({rows}) onto 4"));
    same_at_run_time(&Literal::new(), Tier::Literal, &by_rows, &by_points);
    assert!(Literal::new().explain().contains("rows([20, 27, 36, 36, 27, 20], cyclic(2)) onto 2"));
    let from = format!("(*, rows({rows}, block)) onto 3");
    let to = format!("(block, rows({rows}, cyclic, points(2))) onto (2, 4) first (0, 1)");
    same_at_run_time(&Levels::new(), Tier::Literal, &from, &to);
    same_at_run_time(
        &Part::new(),
        Tier::Literal,
        &format!("points({rows}) onto 3 of 166 at 30"),
        "cyclic(7) onto 2",
    );
    same_at_run_time(
        &Flat::new(),
        Tier::Literal,
        "block onto 5",
        &format!("rows({rows}, block) onto 4"),
    );
}

#[test]
fn constants() {
    let rows = "[20, 27, 36 x 2, 27, 20]";
    let from = format!("(*, rows({rows}, cyclic(2), points(2))) onto 4");
    same_at_run_time(
        &Constant::new(),
        Tier::Constant,
        &from,
        &format!("(*, points({rows})) onto 4"),
    );
}

#[test]
fn layouts_are_written_as_they_are_read() {
    for text in [
        "rows([20, 27, 36 x 3, 0, 5, 5], block) onto 2",
        "rows([1, 2], cyclic) onto 2 first 1",
        "rows([1, 2], cyclic(2), points(3)) onto 6",
        "points([1 x 12]) onto 6 ranks 2..8",
    ] {
        assert_eq!(text.parse::<Layout<1>>().unwrap().to_string(), text);
    }
    let error = |text: &str| text.parse::<Layout<1>>().unwrap_err().to_string();
    assert!(error("rows([1, 2]) onto 2").contains("how the rows are dealt"));
    assert!(error("rows([1, 2], block, 3) onto 2").contains("expected `points(ranks)`"));
    assert!(error("points(3) onto 2").contains("a list of the rows' lengths"));
    assert!(error("points([1 x 9999999]) onto 2").contains("at most 1048576 times"));
}

#[test]
fn a_digest_tells_lengths_turns_and_sharing() {
    let to = "block onto 2";
    let of = |from: &str| Plan::<1>::parse([12], from, to).unwrap().digest();
    let texts = [
        "rows([2, 4, 4, 2], cyclic) onto 2",
        "rows([2, 4, 4, 2], block) onto 2",
        "rows([2, 4, 3, 3], cyclic) onto 2",
        "points([2, 4, 4, 2]) onto 2",
        "points([2, 4, 4, 2]) onto 4",
        "rows([2, 4, 4, 2], cyclic, points(2)) onto 4",
        "rows([2, 4, 4, 2], cyclic) onto 4",
    ];
    for (number, text) in texts.iter().enumerate() {
        assert!(texts[..number].iter().all(|other| of(other) != of(text)), "{text}");
        let words = Plan::<1>::parse([12], text, to).unwrap().in_words().to_string();
        let again = words.lines().nth(1).unwrap().trim_start_matches("from ");
        assert_eq!(of(again), of(text), "{again}");
    }
    assert_eq!(of(texts[6]), of("gen_block([2, 4, 4, 2]) onto 4"));
}

#[test]
fn lengths_have_to_make_the_extent() {
    let error = |text: &str| Plan::<1>::parse([12], text, "*").unwrap_err().to_string();
    let short = error("points([2, 4, 4]) onto 2");
    assert!(short.contains("the 3 rows hold 10 points, 2 less than the extent 12"), "{short}");
    let odd = error("rows([6, 6], block, points(2)) onto 3");
    assert!(odd.contains("divided among 2 ranks, but the grid has 3 ranks"), "{odd}");
}
