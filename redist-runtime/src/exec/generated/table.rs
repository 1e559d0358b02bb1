//! WindowPieces tables whose length depends on an item's generics. rustc needs a fixed length, so each
//! table has one of a few capacities.

use crate::layout::{Dist, Layout};
use crate::plan::{Axis, Piece, Plan, WindowPieces, WindowTable};
use core::marker::PhantomData;
use redist_plan::arithmetic::min;

/// Returns one dimension as a plan: distribution and number of ranks of both sides. A dimension
/// that breaks a rule needs no table; `new` reports the rule.
pub const fn dimension(extent: usize, (from, p): (Dist, usize), (to, q): (Dist, usize)) -> Axis {
    match Plan::new([extent], Layout::new([from], [p]), Layout::new([to], [q])) {
        Ok(plan) => plan.axis(0),
        Err(_) => Axis::of_blocks(1, 1),
    }
}

/// Returns the pieces of a window. Rows are block and place in it on either side, and elements: lists
/// of numbers, because compilers check calls more slowly. A table of them is compared with the blocks:
///
/// ```compile_fail,E0080
/// # use redist_runtime as redist;
/// use redist::exec::generated::{WindowTable, window};
/// use redist::plan::{Axis, Piece};
///
/// static PIECES: [Piece; 4] = window([
///     [0, 0, 0, 0, 2],
///     [0, 2, 1, 0, 1],
///     [1, 0, 1, 1, 1],
///     [1, 1, 2, 0, 1], // 2
/// ]);
/// const TABLE: WindowTable<'static> = WindowTable::of(&Axis::of_blocks(3, 2), &PIECES);
/// assert_eq!(TABLE.pieces().len(), 4);
/// ```
pub const fn window<const N: usize>(rows: [[usize; 5]; N]) -> [Piece; N] {
    let (mut pieces, mut number) = ([Piece::new((0, 0), (0, 0), 0); N], 0);
    while number < N {
        let [block, place, other_block, other_place, len] = rows[number];
        pieces[number] = Piece::new((block, place), (other_block, other_place), len);
        number += 1;
    }
    pieces
}

/// The constants by which an item's tables are made.
#[doc(hidden)] // As `Compiled`.
pub trait Constants<const D: usize> {
    /// The plan of the instance.
    const PLAN: Plan<D>;

    /// Most pieces of a table, as the item's `tables` says.
    const TABLES: usize;
}

/// The window table of dimension `AXIS` of one instance of a generic item.
pub struct Table<P, const D: usize, const AXIS: usize>(PhantomData<P>);

/// Most pieces of a table that depends on generics.
pub(super) const LARGEST: usize = 1024;

impl<P: Constants<D>, const D: usize, const AXIS: usize> Table<P, D, AXIS> {
    const LEN: usize = P::PLAN.axis(AXIS).table_len(min(P::TABLES, LARGEST));

    /// The pieces of the window; none if closed forms or the walk serve.
    pub const TABLE: WindowTable<'static> = match Self::LEN {
        0 => WindowTable::NONE,
        1..=16 => const { &Self::padded::<16>() }.table(),
        17..=64 => const { &Self::padded::<64>() }.table(),
        65..=256 => const { &Self::padded::<256>() }.table(),
        _ => const { &Self::padded::<LARGEST>() }.table(),
    };

    const fn padded<const CAPACITY: usize>() -> WindowPieces<CAPACITY> {
        // The compiler makes all of these, also tables of capacities that are not used.
        let used = Self::LEN <= CAPACITY && (Self::LEN * 4 >= CAPACITY || CAPACITY <= 64);
        WindowPieces::of(if used { P::PLAN.axis(AXIS) } else { Axis::of_blocks(1, 1) })
    }
}
