//! Places and values of the elements of sections.

use crate::array::permuted;
use redist::{Plan, Side};

/// Returns a number of the element with a global index of the moved part; never 0.
pub fn element<const N: usize, const D: usize>(index: [usize; D]) -> [u8; N] {
    let number = index.iter().fold(7usize, |sum, index| {
        (sum ^ index).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
    });
    core::array::from_fn(|byte| (number >> (8 * byte % 56)) as u8 | 1)
}

fn indices<const D: usize>(extents: [usize; D]) -> impl Iterator<Item = [usize; D]> {
    (0..extents.iter().product()).map(move |mut place: usize| {
        core::array::from_fn(|axis| {
            let index = place % extents[axis];
            place /= extents[axis];
            index
        })
    })
}

/// Returns the local offsets of the moved elements, each with its index in the source's axes, and
/// of the elements around them.
pub fn places<const D: usize>(
    plan: &Plan<D>,
    side: Side,
    rank: usize,
) -> Vec<(usize, Option<[usize; D]>)> {
    let array = plan.descriptor(side);
    let layout = array.layout();
    let axes =
        if side == Side::Destination { layout.axes } else { core::array::from_fn(|axis| axis) };
    let around = plan.extents().map(|extent| extent + 2);
    let place = |index: [usize; D]| {
        let inside = (0..D).all(|axis| (1..=plan.extents()[axis]).contains(&index[axis]));
        let own = permuted(index, axes);
        let global = core::array::from_fn(|axis| layout.at[axis] + own[axis] - 1);
        let is_here = array.owner(global) == rank;
        let moved = inside.then(|| index.map(|index| index - 1));
        is_here.then(|| (array.local_offset(global), moved))
    };
    indices(around).filter_map(place).collect()
}
