//! In which order and in which tiles an array is copied.

use crate::arithmetic::{max, min};
use crate::layout::StorageOrder;
use crate::plan::{Axis, Plan, Side};

/// Dimensions from the slowest loop to the fastest: as the destination stores them, so that writing goes forward, with
/// the source's fastest moved to the last place but one, if it is not the last.
pub(super) fn nest_order<const D: usize>(plan: &Plan<D>) -> [usize; D] {
    let in_order = |side: Side, step: usize| match plan.descriptor(side).layout().local_order() {
        StorageOrder::C => step,
        StorageOrder::Fortran => D - 1 - step,
    };
    let at = |axis| (0..D).find(|&dimension| plan.destination_axis(dimension) == axis).unwrap_or(axis);
    let mut order: [usize; D] = core::array::from_fn(|step| at(in_order(Side::Destination, step)));
    let fastest_of_source = in_order(Side::Source, D - 1);
    if let Some(place) = order[..D - 1].iter().position(|&dimension| dimension == fastest_of_source) {
        order[place..D - 1].rotate_left(1);
    }
    order
}

/// Extents of a tile of about `elements` elements, in nest order: whole rows of the destination; or, where the source is
/// stored the other way round, blocks that are larger, so that both arrays' rows are worth their cache lines.
pub(super) fn shape<const D: usize>(plan: &Plan<D>, order: &[usize; D], elements: usize) -> [usize; D] {
    let source_order = plan.descriptor(Side::Source).layout().local_order();
    let fastest_of_source = if source_order == StorageOrder::C { D - 1 } else { 0 };
    let turned = D > 1 && order[D - 1] != fastest_of_source;
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
fn whole_periods(axis: &Axis, most: usize) -> usize {
    let period = max(axis.period(), 1);
    if period <= most { most / period * period } else { most }
}
