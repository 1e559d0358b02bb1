//! Checks of constants and of demands. A broken rule is a compile error at the user's token, with the
//! value.

use super::Compiled;
use super::compiled::{are_written, blocks, first_step};
use super::table::LARGEST;
use crate::layout::MAX_EXTENT;
use crate::plan::{Axis, Class, ConstText, Demand, Effort, Plan, Side};
use crate::program::{MAX_STEP_ELEMENTS, MAX_STEP_PEERS, MAX_STEP_RUNS};

/// Returns a size from a constant expression. Panics outside of `minimum` to the largest extent.
#[track_caller]
pub const fn check_size(value: usize, expression: &str, what: &str, minimum: usize) -> usize {
    let (bound, limit) = match value < minimum {
        true => (" must be at least ", minimum),
        false => (" must be at most ", MAX_EXTENT),
    };
    if value < minimum || value > MAX_EXTENT {
        let text = ConstText::new("redistribute!: ").text(what).text(bound).number(limit);
        text.text(", but `").text(expression).text("` is ").number(value).panic()
    }
    value
}

/// Panics if a window that needs a table, or that the item bounds, has more than `limit` pieces.
#[track_caller]
pub const fn check_tables(axis: Axis, dimension: usize, clause: &str, limit: usize) {
    if axis.wants_table() && axis.window_pieces() > limit {
        let text = described(&axis, dimension).filled(", more than the {} that ", &[limit]);
        text.text(clause)
            .text(" allows; raise `tables`, or choose block sizes with a larger common divisor")
            .panic()
    }
}

/// Panics if a generic instance's window has more pieces than a generic table.
#[track_caller]
pub const fn check_generic_tables(axis: Axis, dimension: usize, clause: &str) {
    if axis.wants_table() && axis.window_pieces() > LARGEST {
        let than = ", more than the {} of a table that depends on generics, so ";
        let text = described(&axis, dimension).filled(than, &[LARGEST]).text(clause);
        text.text(" is not met; choose block sizes with a larger common divisor, ")
            .text("or make them constants")
            .panic()
    }
}

/// Panics if a window has more than `budget` pieces, or no step that code can cover.
#[track_caller]
pub const fn check_unroll(axis: Axis, dimension: usize, budget: usize) {
    if budget > 0 && axis.window_pieces() > budget {
        let text = described(&axis, dimension).filled(", more than `unroll: {}`; ", &[budget]);
        text.text("raise it, or leave it out: then a loop walks the window").panic()
    }
    let have_steps = match blocks(axis) {
        Some(blocks) => blocks.have_steps(),
        None => false,
    };
    if budget > 0 && !have_steps {
        let text = described(&axis, dimension)
            .text(", but no code can be written for it: a rank's pieces must repeat");
        with_limits(text).text("; leave `unroll` out").panic()
    }
}

const fn described(axis: &Axis, dimension: usize) -> ConstText {
    let (from, to) = (axis.side(Side::Source).block(), axis.side(Side::Destination).block());
    ConstText::new("redistribute!: ").filled(
        "dimension {}: the window of blocks of {} and {element} has {piece}",
        &[dimension, from, to, axis.window_pieces()],
    )
}

/// Adds the limits of a step.
const fn with_limits(text: ConstText) -> ConstText {
    text.filled(
        " after at most {} elements in {} runs, for 2 to {} ranks",
        &[MAX_STEP_ELEMENTS, MAX_STEP_RUNS, MAX_STEP_PEERS],
    )
}

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
    let text = ConstText::new("redistribute!: `require: unrolled` is not met: no code is written ")
        .filled("for dimension {}: ", &[dimension]);
    let text = match (R::BLOCKS, first_step::<R, D>()) {
        (None, _) => text.text("its blocks do not repeat, or a section begins inside of one"),
        (_, None) => with_limits(text.text("a rank's pieces do not repeat")),
        (_, Some(step)) => text.filled(
            "runs of {byte} for each rank in turn are copied as fast by the library's own code",
            &[(step.get(0).len as usize).saturating_mul(size_of::<R::Element>())],
        ),
    };
    text.panic()
}

/// Returns the plan. Panics if an item's text names other classes of its dimensions; in a constant,
/// that is a compile error.
pub const fn checked<const D: usize>(plan: Plan<D>, written: [Class; D]) -> Plan<D> {
    let mut dimension = 0;
    while dimension < D {
        assert!(
            are_same(plan.axis(dimension).class(), written[dimension]),
            "redistribute!: a class is not that of the plan"
        );
        dimension += 1;
    }
    plan
}

const fn are_same(class: Class, other: Class) -> bool {
    match (class, other) {
        (Class::KrToR { k, r }, Class::KrToR { k: other_k, r: other_r })
        | (Class::RToKr { k, r }, Class::RToKr { k: other_k, r: other_r }) => {
            k == other_k && r == other_r
        }
        (Class::General, Class::General) | (Class::Identity, Class::Identity) => true,
        _ => false,
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Field {
    name: &'static str,
    offset: usize,
    size: usize,
}

impl Field {
    /// Describes a field of type `T`. The value's `ZERO` requires that `T` is an element.
    pub const fn of<T>(name: &'static str, offset: usize) -> Self {
        Self { name, offset, size: size_of::<T>() }
    }
}

/// Panics if the fields of the struct `T`, in memory order, leave a byte out.
#[track_caller]
pub const fn check_padding<T>(name: &str, fields: &[Field]) {
    let (mut end, mut number) = (0, 0);
    while number < fields.len() {
        let Field { name: field, offset, size } = fields[number];
        if offset > end {
            report(name, offset - end, " before the field `", field);
        }
        end = offset + size;
        number += 1;
    }
    if size_of::<T>() > end {
        report(name, size_of::<T>() - end, " after its last field `", fields[number - 1].name);
    }
}

#[track_caller]
const fn report(name: &str, bytes: usize, place: &str, field: &str) -> ! {
    let text = ConstText::new("`").text(name).filled("` has {byte} of padding", &[bytes]);
    text.text(place)
        .text(field)
        .text("`, and elements have none; put larger fields before smaller ones, or fill the gap ")
        .filled("with a field of its own, such as `gap: [u8; {}]`", &[bytes])
        .panic()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_classes_are_refused() {
        let plan = Plan::<1>::parse([90], "cyclic(10) onto 3", "cyclic(2) onto 3").unwrap();
        let right = Class::KrToR { k: 5, r: 2 };
        assert_eq!(checked(plan, [right]).axis(0).class(), right);
        let (k, r) = (5, 2);
        let of_form = [Class::KrToR { k: 4, r }, Class::KrToR { k, r: 3 }, Class::RToKr { k, r }];
        for class in of_form.into_iter().chain([Class::General, Class::Identity]) {
            assert!(std::panic::catch_unwind(|| checked(plan, [class])).is_err(), "{class:?}");
        }
    }
}
