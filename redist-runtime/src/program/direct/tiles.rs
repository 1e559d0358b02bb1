//! In which order and in which tiles an array is copied.

use crate::arithmetic::{max, min};
use crate::layout::StorageOrder;
use crate::plan::{Axis, Plan, Side};

/// Dimensions from the slowest loop to the fastest: as the destination stores them, so that writing goes forward, with
/// the source's fastest moved to the last place but one, if it is not the last.
pub(super) fn nest_order<const D: usize>(plan: &Plan<D>) -> [usize; D] {
    let at = |axis| (0..D).find(|&dimension| plan.destination_axis(dimension) == axis).unwrap_or(axis);
    let mut order = stored_order(plan, Side::Destination).map(at);
    let fastest = fastest_of_source(plan);
    if let Some(place) = order[..D - 1].iter().position(|&dimension| dimension == fastest) {
        order[place..D - 1].rotate_left(1);
    }
    order
}

/// Axes of one side's array from the one that is stored slowest to the fastest.
pub(super) fn stored_order<const D: usize>(plan: &Plan<D>, side: Side) -> [usize; D] {
    let order = plan.descriptor(side).layout().storage;
    core::array::from_fn(|step| if order == StorageOrder::C { step } else { D - 1 - step })
}

/// The dimension that the source stores fastest.
pub(super) fn fastest_of_source<const D: usize>(plan: &Plan<D>) -> usize {
    stored_order(plan, Side::Source)[D - 1]
}

/// Extents of a tile of about `elements` elements, in nest order: whole rows of the destination; or, where the source is
/// stored the other way round, blocks that are larger, so that both arrays' rows are worth their cache lines.
pub(super) fn shape<const D: usize>(plan: &Plan<D>, order: &[usize; D], elements: usize) -> [usize; D] {
    let turned = order[D - 1] != fastest_of_source(plan);
    let (mut shape, mut room) = ([1; D], max(if turned { elements.saturating_mul(TURNED) } else { elements }, 1));
    for step in (0..D).rev() {
        let axis = plan.axis(order[step]);
        let most = if turned && step == D - 1 { room.isqrt() } else { room };
        shape[step] = max(min(whole_periods(&axis, most), axis.len()), 1);
        room = max(room / shape[step], 1);
    }
    shape
}

/// How many times larger blocks are where rows become columns: they need not fit the first cache.
const TURNED: usize = 8;

/// At most `most` elements: whole periods, if one fits.
pub(super) fn whole_periods(axis: &Axis, most: usize) -> usize {
    let period = max(axis.period(), 1);
    if period <= most { most / period * period } else { most }
}
