//! Checks of constants. A broken rule is a compile error at the user's token, with the value.

use super::blocks;
use super::table::LARGEST;
use crate::layout::MAX_EXTENT;
use crate::plan::{Axis, ConstText};
use crate::program::{MAX_STEP_ELEMENTS, MAX_STEP_PEERS, MAX_STEP_RUNS};

/// Returns a size from a constant expression. Panics outside of `minimum` to the largest extent.
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

/// Panics if a window that needs a table, or that the item bounds, has more than `limit` pieces.
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

/// Panics if a generic instance's window has more pieces than a generic table.
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

/// Panics if a window has more than `budget` pieces, or no step that code can cover.
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
