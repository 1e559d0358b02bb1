//! Window tables whose length depends on an item's generics. rustc needs a fixed length, so each
//! table has one of a few capacities.

use crate::layout::{Dist, Layout};
use crate::plan::{Axis, Piece, Plan};
use core::marker::PhantomData;
use redist_plan::arithmetic::min;

/// Returns one dimension by itself: distribution and number of ranks of both sides. A dimension
/// that breaks a rule needs no table; `new` reports the rule.
pub const fn dimension(extent: usize, (from, p): (Dist, usize), (to, q): (Dist, usize)) -> Axis {
    match Plan::new([extent], Layout::new([from], [p]), Layout::new([to], [q])) {
        Ok(plan) => plan.axis(0),
        Err(_) => Axis::of_blocks(1, 1),
    }
}

/// Returns the pieces of a window. Rows are block and place in it on either side, and elements: lists
/// of numbers, because compilers check calls more slowly.
pub const fn window<const N: usize>(rows: [[usize; 5]; N]) -> [Piece; N] {
    let (mut pieces, mut number) = ([Piece::new((0, 0), (0, 0), 0); N], 0);
    while number < N {
        let [block, place, other_block, other_place, len] = rows[number];
        pieces[number] = Piece::new((block, place), (other_block, other_place), len);
        number += 1;
    }
    pieces
}

#[doc(hidden)] // As `Compiled`.
pub trait Constants<const D: usize> {
    const PLAN: Plan<D>;

    const TABLES: usize;
}

pub struct Table<P, const D: usize, const AXIS: usize>(PhantomData<P>);

pub(super) const LARGEST: usize = 1024;

impl<P: Constants<D>, const D: usize, const AXIS: usize> Table<P, D, AXIS> {
    const LEN: usize = P::PLAN.axis(AXIS).table_len(min(P::TABLES, LARGEST));

    pub const PIECES: &'static [Piece] = {
        let capacity: &'static [Piece] = match Self::LEN {
            0 => &[],
            1..=16 => const { &Self::padded::<16>() },
            17..=64 => const { &Self::padded::<64>() },
            65..=256 => const { &Self::padded::<256>() },
            _ => const { &Self::padded::<LARGEST>() },
        };
        capacity.split_at(Self::LEN).0
    };

    const fn padded<const CAPACITY: usize>() -> [Piece; CAPACITY] {
        let mut pieces = [Piece::new((0, 0), (0, 0), 0); CAPACITY];
        if Self::LEN > CAPACITY || Self::LEN * 4 < CAPACITY && CAPACITY > 64 {
            return pieces;
        }
        let axis = P::PLAN.axis(AXIS);
        let (mut index, mut count) = (0, 0);
        while count < Self::LEN {
            pieces[count] = axis.piece_at(index, axis.window());
            index += pieces[count].len;
            count += 1;
        }
        pieces
    }
}
