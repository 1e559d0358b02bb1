//! The algorithms of the literature, side by side: what blocks of one rank meet on the other side.
//!
//! One trait, [`Intersection`], lets the algorithms check each other. [`counts`] has closed forms
//! of their operations. The planner uses the [window table](Axis::window_walk).
//!
//! | algorithm | published by | what it goes through |
//! |---|---|---|
//! | [`Classical`] | textbooks; Foyer et al., Algorithm 2 | every own block, every block of every rank |
//! | [`Thakur`] | Thakur, Choudhary, Ramanujam | the local array, an owner for each chunk |
//! | [`Falls`], [`Pitfalls`] | Ramaswamy, Banerjee; Foyer et al., Algorithm 3 | one period: for each rank, or for all at once |
//! | [`Scalapack`] | Prylli, Tourancheau | for each rank, the blocks of both in the whole extent |
//! | [`GuoNakata`] | Guo, Nakata; Foyer et al., Algorithm 3 | one period, for each rank, in the printed bounds |
//! | [`HsuChung`], [`HsuChungAnyRanks`] | Hsu, Chung | for each partner of kr→r and r→kr, closed forms |
//! | [`Aspen`] | Foyer, Tate, McIntosh-Smith, Algorithm 4 | the own blocks of one period, from block to adjacent block |
//! | [`BasicCycle`] | Hsu, Bai, Chung, Yang | the units of `gcd(s, t)` of one cycle, an owner for each |
//! | [`Window`] | this crate | the phases of the own blocks in the window table |
//!
//! [`MultiPhase`] takes several redistributions, and Thakur's two among them.

mod aspen;
mod basic_cycle;
mod classical;
pub mod counts;
mod cursor;
mod expand;
mod falls;
mod guo_nakata;
mod hsu_chung;
mod multi_phase;
mod pitfalls;
mod regular;
mod scalapack;
mod thakur;
mod walk;
mod window;

pub use aspen::Aspen;
pub use basic_cycle::BasicCycle;
pub use classical::Classical;
pub use expand::{Segment, expand};
pub use falls::Falls;
pub use guo_nakata::GuoNakata;
pub use hsu_chung::{HsuChung, HsuChungAnyRanks, equations};
pub use multi_phase::{Intermediate, MultiPhase};
pub use pitfalls::Pitfalls;
pub use scalapack::Scalapack;
pub use thakur::Thakur;
pub use window::Window;

use redist::plan::{Axis, Side};
use std::ops::Add;

/// A family of equal line segments at equal distances (Ramaswamy and Banerjee's FALLS).
///
/// Repetition `n < count` begins at `start + n stride`. It goes to the same peer only if the stride
/// is a multiple of the other side's period. Indices are in the moved part, lengths at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Segments {
    /// Global index of the first repetition.
    pub start: usize,
    /// Elements in every repetition but the last.
    pub len: usize,
    /// Elements from one repetition to the next.
    pub stride: usize,
    /// Number of repetitions.
    pub count: usize,
    /// Elements in the last repetition.
    pub last_len: usize,
    /// The destination's coordinate.
    pub peer: usize,
    /// The source rank's local index; the destination's is `destination_offset`. In elements.
    pub source_offset: usize,
    /// The destination rank's local index, in elements.
    pub destination_offset: usize,
}

/// An algorithm's work to find one rank's pieces, in its own unit operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Operations {
    /// Bounds of FALLS, an owner by division.
    pub set_ups: usize,
    /// Comparisons of blocks or of places, counted as each algorithm's docs say.
    pub comparisons: usize,
}

impl Operations {
    pub fn total(&self) -> usize {
        self.set_ups + self.comparisons
    }
}

impl Add for Operations {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            set_ups: self.set_ups + other.set_ups,
            comparisons: self.comparisons + other.comparisons,
        }
    }
}

/// An algorithm that lists the pieces which one rank of the source shares with each destination.
pub trait Intersection: Sync {
    fn name(&self) -> &'static str;

    /// Checks if it can be run for this dimension. Most want a whole one, in blocks of one size.
    ///
    /// # Errors
    /// The condition that is not met, in words.
    fn applies(&self, axis: &Axis) -> Result<(), &'static str> {
        whole(axis)
    }

    /// Replaces `found` by the pieces of coordinate `rank` of the source, and returns the cost.
    /// Allocates nothing if `found` has the capacity.
    ///
    /// # Panics
    /// If it does not [apply](Intersection::applies), or `rank` is none of the source's.
    fn intersect(&self, axis: &Axis, rank: usize, found: &mut Vec<Segments>) -> Operations;
}

/// Checks that a dimension is whole, in blocks of one size on either side.
fn whole(axis: &Axis) -> Result<(), &'static str> {
    if axis.regular_blocks().is_none() {
        Err("a side is a gen_block: its blocks are not of one size")
    } else if axis.side(Side::Source).at() != 0 || axis.side(Side::Destination).at() != 0 {
        Err("a side is a section that does not begin at element 0")
    } else {
        Ok(())
    }
}

/// Lists all algorithms.
pub const fn all() -> [&'static dyn Intersection; 11] {
    [
        &Classical,
        &Thakur,
        &Falls,
        &Pitfalls,
        &Scalapack,
        &GuoNakata,
        &HsuChung,
        &HsuChungAnyRanks,
        &BasicCycle,
        &Aspen,
        &Window,
    ]
}
