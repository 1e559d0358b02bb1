//! In which order and in which tiles an array is copied.

use crate::arithmetic::{max, min};
use crate::plan::{AnyPlan, Axis, Side};

/// Dimensions from the slowest loop to the fastest: as the destination stores them, so that writing goes forward, with
/// the source's fastest moved to the last place but one, if it is not the last.
pub(super) fn nest_order(plan: &AnyPlan) -> Vec<usize> {
    let dimensions = plan.dimensions();
    let at = |axis| (0..dimensions).find(|&dimension| plan.destination_axis(dimension) == axis).unwrap_or(axis);
    let mut order: Vec<usize> = plan.descriptor(Side::Destination).stored_order().map(at).collect();
    let (fastest, slower) = (fastest_of_source(plan), dimensions - 1);
    if let Some(place) = order[..slower].iter().position(|&dimension| dimension == fastest) {
        order[place..slower].rotate_left(1);
    }
    order
}

/// The dimension that the source stores fastest.
pub(super) fn fastest_of_source(plan: &AnyPlan) -> usize {
    plan.descriptor(Side::Source).stored_order().next_back().unwrap_or(0)
}

/// Extents of a tile of about `elements` elements, in nest order: whole rows of the destination; or, where the source is
/// stored the other way round, blocks that are larger, so that both arrays' rows are worth their cache lines.
pub(super) fn shape(plan: &AnyPlan, order: &[usize], elements: usize) -> Vec<usize> {
    let last = order.len() - 1;
    let turned = order[last] != fastest_of_source(plan);
    let (mut shape, mut room) =
        (vec![1; order.len()], max(if turned { elements.saturating_mul(TURNED) } else { elements }, 1));
    for step in (0..=last).rev() {
        let axis = plan.axis(order[step]);
        let most = if turned && step == last { room.isqrt() } else { room };
        shape[step] = max(min(whole_periods(axis, most), axis.len()), 1);
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
