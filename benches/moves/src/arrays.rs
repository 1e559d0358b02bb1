//! Local arrays whose elements contain their places in the whole array.

use bytemuck::Pod;
use mpi::traits::Equivalence;
use redist::{Element, Plan, Side};

/// Elements that all methods can move.
pub trait Scalar: Element + Pod + Equivalence + PartialEq {
    const NAME: &'static str;

    /// Returns a number exact in this type, different for neighbours, and never a fresh array's.
    fn of_index(index: usize) -> Self;
}

impl Scalar for f64 {
    const NAME: &'static str = "f64";

    fn of_index(index: usize) -> Self {
        index as f64 + 1.0
    }
}

impl Scalar for f32 {
    const NAME: &'static str = "f32";

    fn of_index(index: usize) -> Self {
        // Integers are exact below 2^24; a prime keeps what is a power of two apart from looking
        // the same.
        (index % 16_777_213) as f32 + 1.0
    }
}

pub fn filled<T: Scalar, const D: usize>(plan: &Plan<D>, side: Side, rank: usize) -> Vec<T> {
    let mut local = vec![T::ZERO; plan.descriptor(side).local_len(rank)];
    for_each(plan, side, rank, |offset, index| local[offset] = T::of_index(index));
    local
}

pub fn wrong<T: Scalar, const D: usize>(plan: &Plan<D>, rank: usize, local: &[T]) -> u64 {
    differ(plan, rank, local, |moved| moved)
}

pub fn differ<T: Scalar, const D: usize>(
    plan: &Plan<D>,
    rank: usize,
    local: &[T],
    expected: impl Fn(T) -> T,
) -> u64 {
    let mut wrong = 0;
    for_each(plan, Side::Destination, rank, |offset, index| {
        wrong += u64::from(local[offset] != expected(T::of_index(index)))
    });
    wrong
}

/// Visits the local offset and the array's number of every moved element.
fn for_each<const D: usize>(
    plan: &Plan<D>,
    side: Side,
    rank: usize,
    mut visit: impl FnMut(usize, usize),
) {
    let own = plan.descriptor(side);
    let Some((coordinates, extents)) = own.coordinates(rank).zip(own.local_extents(rank)) else {
        return;
    };
    let strides = own.strides(extents);
    // For each axis of the source: (local offset, index along the axis) of what this rank holds.
    let held: [Vec<(usize, usize)>; D] = core::array::from_fn(|dimension| {
        let (axis, section) = (plan.axis_on(side, dimension), plan.axis(dimension).side(side));
        let index =
            |local| section.deal().global(coordinates[axis], local)?.checked_sub(section.at());
        let inside = |index: &usize| *index < plan.axis(dimension).len();
        let held = (0..extents[axis])
            .filter_map(|local| Some((local * strides[axis], index(local).filter(inside)?)));
        held.collect()
    });
    let mut cursor = [0; D];
    while held.iter().zip(cursor).all(|(held, at)| at < held.len()) {
        let (mut offset, mut index) = (0, 0);
        for (dimension, at) in cursor.iter().enumerate() {
            let (local, global) = held[dimension][*at];
            (offset, index) = (offset + local, index * plan.axis(dimension).len() + global);
        }
        visit(offset, index);
        let Some(next) =
            (0..D).rev().find(|dimension| cursor[*dimension] + 1 < held[*dimension].len())
        else {
            return;
        };
        cursor[next] += 1;
        cursor[next + 1..].fill(0);
    }
}
