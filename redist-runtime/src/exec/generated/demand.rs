//! Checks the demands of `require`. An unmet one is a compile error at its tokens, with the figure.

use super::Compiled;
use super::compiled::{are_written, first_step};
use crate::plan::{ConstText, Demand, Effort, Plan};
use crate::program::{MAX_STEP_ELEMENTS, MAX_STEP_PEERS, MAX_STEP_RUNS};

/// Checks a figure of a plan, for elements of `element_bytes` bytes. Panics if the plan misses it.
#[track_caller]
pub const fn check_demand<const D: usize>(plan: Plan<D>, demand: Demand, element_bytes: usize) {
    if let Some(text) = demand.unmet(&plan, element_bytes, Effort::OF_CONSTANTS) {
        ConstText::new("redistribute!: ").then(&text).panic()
    }
}

/// Panics if the compiler writes no code for an item's blocks, contiguous along `dimension`.
#[track_caller]
pub const fn check_unrolled<R: Compiled<D>, const D: usize>(dimension: usize) {
    if are_written::<R, D>() {
        return;
    }
    let text = ConstText::new("redistribute!: `require: unrolled` is not met: no code is written ");
    let text = text.text("for dimension ").number(dimension).text(": ");
    let text = match (R::BLOCKS, first_step::<R, D>()) {
        (None, _) => text.text("its blocks do not repeat, or a section begins inside of one"),
        (_, None) => text
            .text("a rank's pieces do not repeat after at most ")
            .number(MAX_STEP_ELEMENTS)
            .text(" elements in ")
            .number(MAX_STEP_RUNS)
            .text(" runs, for 2 to ")
            .number(MAX_STEP_PEERS)
            .text(" ranks"),
        (_, Some(step)) => text
            .text("runs of ")
            .counted((step.get(0).len as usize).saturating_mul(size_of::<R::Element>()), "byte")
            .text(" for each rank in turn are copied as fast by the library's own code"),
    };
    text.panic()
}
