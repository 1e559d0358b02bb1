//! Checks of constants and of demands. A broken rule is a compile error at the user's token, with the
//! value.

use super::Compiled;
use super::compiled::{are_written, blocks, first_step};
use super::table::LARGEST;
use crate::layout::{MAX_EXTENT, StorageOrder};
use crate::plan::{Axis, Class, ConstText, Demand, Effort, Piece, Plan, Side, WindowTable};
use crate::program::{BlocksAndRanks, MAX_STEP_ELEMENTS, MAX_STEP_PEERS, MAX_STEP_RUNS};

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
    text.text("; leave `unrolled` out").panic()
}

/// Returns the plan. Panics if an item's text has other classes, other listed windows, or other
/// blocks; in a constant, that is a compile error. Windows of tables are proved with these.
pub const fn checked<R: Compiled<D>, const D: usize>(
    plan: Plan<D>,
    classes: [Class; D],
    listed: [&[Piece]; D],
) -> Plan<D> {
    let mut dimension = 0;
    while dimension < D {
        let axis = plan.axis(dimension);
        assert!(
            are_same(axis.class(), classes[dimension]),
            "redistribute!: a class is not that of the plan"
        );
        let _ = WindowTable::of(&axis, listed[dimension]);
        dimension += 1;
    }
    check_blocks::<R, D>(&plan);
    plan
}

/// Panics if blocks that an item gives are not those along the fastest dimensions of its messages.
const fn check_blocks<R: Compiled<D>, const D: usize>(plan: &Plan<D>) {
    if D == 0 {
        return;
    }
    let there = fastest(plan, Side::Source);
    let back = source_axis(plan, fastest(plan, Side::Destination));
    assert!(
        are_blocks_of(R::BLOCKS, plan.axis(there))
            && are_blocks_of(R::BLOCKS_BACK, plan.axis(back))
            && (R::BLOCKS.is_none() || R::ON_BOTH_SIDES == (there == back)),
        "redistribute!: blocks are not those of the plan"
    );
}

const fn are_blocks_of(written: Option<BlocksAndRanks>, axis: Axis) -> bool {
    match (written, blocks(axis)) {
        (Some(written), Some(blocks)) => written.is(blocks),
        (Some(_), None) => false,
        (None, _) => true,
    }
}

/// Returns the axis of a side along which its local arrays are contiguous.
const fn fastest<const D: usize>(plan: &Plan<D>, side: Side) -> usize {
    match plan.descriptor(side).layout().storage {
        StorageOrder::C => D - 1,
        StorageOrder::Fortran => 0,
    }
}

/// Returns the source's axis that becomes this axis of the destination.
const fn source_axis<const D: usize>(plan: &Plan<D>, own: usize) -> usize {
    let mut axis = 0;
    while plan.destination_axis(axis) != own {
        axis += 1;
    }
    axis
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

/// A field of an element, with its place in the struct.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    name: &'static str,
    /// Bytes from the start of the struct.
    offset: usize,
    /// Bytes of the field.
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

    /// An item whose text says that blocks of `OWN` on 3 go to blocks of `PEER` on 3.
    struct Written<const OWN: usize, const PEER: usize, const BOTH: bool>;

    impl<const D: usize, const OWN: usize, const PEER: usize, const BOTH: bool>
        crate::exec::Redistribution<D> for Written<OWN, PEER, BOTH>
    {
        type Element = f64;
        fn name(&self) -> &str {
            "Written"
        }
        fn plan(&self) -> Plan<D> {
            unreachable!("constants are checked without it")
        }
    }

    impl<const D: usize, const OWN: usize, const PEER: usize, const BOTH: bool> Compiled<D>
        for Written<OWN, PEER, BOTH>
    {
        const BLOCKS: Option<BlocksAndRanks> = Some(BlocksAndRanks::new((OWN, 3), (PEER, 3)));
        const BLOCKS_BACK: Option<BlocksAndRanks> =
            if BOTH { <Self as Compiled<D>>::BLOCKS } else { None };
        const ON_BOTH_SIDES: bool = BOTH;
    }

    type Right = Written<10, 2, true>;

    fn kr_to_r() -> Plan<1> {
        Plan::parse([90], "cyclic(10) onto 3", "cyclic(2) onto 3").unwrap()
    }

    #[test]
    fn other_classes_are_refused() {
        let (plan, right) = (kr_to_r(), Class::KrToR { k: 5, r: 2 });
        assert_eq!(checked::<Right, 1>(plan, [right], [&[]]).axis(0).class(), right);
        let (k, r) = (5, 2);
        let of_form = [Class::KrToR { k: 4, r }, Class::KrToR { k, r: 3 }, Class::RToKr { k, r }];
        for class in of_form.into_iter().chain([Class::General, Class::Identity]) {
            let refused = std::panic::catch_unwind(|| checked::<Right, 1>(plan, [class], [&[]]));
            assert!(refused.is_err(), "{class:?}");
        }
    }

    #[test]
    fn other_listed_windows_are_refused() {
        let (plan, class) = (kr_to_r(), [Class::KrToR { k: 5, r: 2 }]);
        let right: Vec<Piece> = plan.axis(0).window_walk().collect();
        assert_eq!(checked::<Right, 1>(plan, class, [&right]), plan);
        for number in 0..right.len() {
            let mut wrong = right.clone();
            wrong[number].len -= 1;
            let refused = std::panic::catch_unwind(|| checked::<Right, 1>(plan, class, [&wrong]));
            assert!(refused.is_err(), "piece {number}");
        }
    }

    #[test]
    fn other_blocks_are_refused() {
        let (plan, class) = (kr_to_r(), [Class::KrToR { k: 5, r: 2 }]);
        let refuses = |made: fn(Plan<1>, [Class; 1], [&[Piece]; 1]) -> Plan<1>| {
            std::panic::catch_unwind(|| made(plan, class, [&[]])).is_err()
        };
        assert!(!refuses(checked::<Right, 1>));
        assert!(refuses(checked::<Written<20, 2, true>, 1>));
        assert!(refuses(checked::<Written<10, 5, true>, 1>));
        assert!(refuses(checked::<Written<2, 10, true>, 1>));
        assert!(
            refuses(checked::<Written<10, 2, false>, 1>),
            "one dimension is the fastest of both"
        );

        let (from, to) = ("(*, cyclic(10)) onto 3", "(*, cyclic(2)) onto 3 storage fortran");
        let plan = Plan::<2>::parse([9, 90], from, to).unwrap();
        let classes = [plan.axis(0).class(), plan.axis(1).class()];
        let refuses = |made: fn(Plan<2>, [Class; 2], [&[Piece]; 2]) -> Plan<2>| {
            std::panic::catch_unwind(|| made(plan, classes, [&[], &[]])).is_err()
        };
        assert!(!refuses(checked::<Written<10, 2, false>, 2>));
        assert!(refuses(checked::<Written<10, 2, true>, 2>), "the way back has another dimension");
    }
}
