//! Checks of constants: a broken rule is an error of the compiler's, with the value in it, at the
//! user's token.

use super::blocks;
use super::table::LARGEST;
use crate::layout::MAX_EXTENT;
use crate::plan::{Axis, ConstText};
use crate::program::{MAX_STEP_ELEMENTS, MAX_STEP_PEERS, MAX_STEP_RUNS};

/// A size that the user gave as a constant expression, if it is neither too small nor above the
/// largest extent.
///
/// # Panics
/// If it is not; in a constant, that is an error of the compiler's.
#[track_caller]
pub const fn check_size(value: usize, expression: &str, what: &str, minimum: usize) -> usize {
    if value < minimum {
        let text =
            ConstText::new("redistribute!: ").text(what).text(" must be at least ").number(minimum);
        text.text(", but `").text(expression).text("` is ").number(value).panic()
    }
    if value > MAX_EXTENT {
        let text = ConstText::new("redistribute!: ")
            .text(what)
            .text(" must be at most ")
            .number(MAX_EXTENT);
        text.text(", but `").text(expression).text("` is ").number(value).panic()
    }
    value
}

/// A window that must stand in the binary as a table, or has to be no longer than the item says.
///
/// # Panics
/// If it has more than `limit` pieces.
#[track_caller]
pub const fn check_tables(axis: Axis, dimension: usize, clause: &str, limit: usize) {
    if axis.wants_table() && axis.window_pieces() > limit {
        let text = described(&axis, dimension)
            .text(", more than the ")
            .number(limit)
            .text(" that ")
            .text(clause);
        text.text(" allows; raise `tables`, or choose block sizes with a larger common divisor")
            .panic()
    }
}

/// A window of an instance that must stand in the binary as a table.
///
/// # Panics
/// If it has more pieces than a table that depends on generics.
#[track_caller]
pub const fn check_generic_tables(axis: Axis, dimension: usize, clause: &str) {
    if axis.wants_table() && axis.window_pieces() > LARGEST {
        let text = described(&axis, dimension).text(", more than the ").number(LARGEST);
        let text = text
            .text(" of a table that depends on generics, so ")
            .text(clause)
            .text(" is not met; ");
        text.text("choose block sizes with a larger common divisor, or make them constants").panic()
    }
}

/// A window that the item wants code for.
///
/// # Panics
/// If it has more than `budget` pieces, or there is no step that code can be written for.
#[track_caller]
pub const fn check_unroll(axis: Axis, dimension: usize, budget: usize) {
    if budget > 0 && axis.window_pieces() > budget {
        let text = described(&axis, dimension).text(", more than `unroll: ").number(budget);
        text.text("`; raise it, or leave it out: then a loop walks the window").panic()
    }
    let have_steps = match blocks(axis) {
        Some(blocks) => blocks.have_steps(),
        None => false,
    };
    if budget > 0 && !have_steps {
        let text = described(&axis, dimension)
            .text(", but no code can be written for it: a rank's pieces must repeat after at most ")
            .number(MAX_STEP_ELEMENTS)
            .text(" elements in ")
            .number(MAX_STEP_RUNS)
            .text(" runs, for 2 to ")
            .number(MAX_STEP_PEERS);
        text.text(" ranks; leave `unroll` out").panic()
    }
}

const fn described(axis: &Axis, dimension: usize) -> ConstText {
    use crate::plan::Side::{Destination, Source};
    let text = ConstText::new("redistribute!: dimension ")
        .number(dimension)
        .text(": the window of blocks of ");
    let text = text
        .number(axis.side(Source).block())
        .text(" and ")
        .counted(axis.side(Destination).block(), "element");
    text.text(" has ").counted(axis.window_pieces(), "piece")
}
