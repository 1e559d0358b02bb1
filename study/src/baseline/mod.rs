//! The algorithms of the literature, side by side: what blocks of one rank meet on the other side.
//!
//! None of them moves anything: the planner uses the [window table](Axis::window_walk). One trait,
//! [`Intersection`], lets each check the others. [`counts`] has closed forms of their operations.
//!
//! | algorithm | published by | what it goes through |
//! |---|---|---|
//! | [`Classical`] | textbooks; Foyer et al., Algorithm 2 | every own block, every block of every rank |
//! | [`Thakur`] | Thakur, Choudhary, Ramanujam | the local array, an owner for each chunk |
//! | [`Falls`], [`Pitfalls`] | Ramaswamy, Banerjee; Foyer et al., Algorithm 3 | one period: for each rank, or for all at once |
//! | [`Scalapack`] | Prylli, Tourancheau | for each rank, the blocks of both in the whole extent |
//! | Guo-Nakata | Guo, Nakata | [not here](GUO_NAKATA) |
//! | [`HsuChung`], [`HsuChungAnyRanks`] | Hsu, Chung | for each partner of kr→r and r→kr, closed forms |
//! | [`Aspen`] | Foyer, Tate, McIntosh-Smith, Algorithm 4 | the own blocks of one period, from block to adjacent block |
//! | [`BasicCycle`] | Hsu, Bai, Chung, Yang | the units of `gcd(s, t)` of one cycle, an owner for each |
//! | [`Window`] | this crate | the phases of the own blocks in the window table |
//!
//! [`MultiPhase`] takes several redistributions; [`TwoPhases`] is Thakur's case of it.

mod aspen;
mod basic_cycle;
mod classical;
pub mod counts;
mod cursor;
mod expand;
mod falls;
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
pub use hsu_chung::{HsuChung, HsuChungAnyRanks, equations};
pub use multi_phase::MultiPhase;
pub use pitfalls::Pitfalls;
pub use scalapack::Scalapack;
pub use thakur::{Hop, Intermediate, Thakur, TwoPhases};
pub use window::Window;

use redist::plan::Axis;

/// A family of equal line segments at equal distances (Ramaswamy and Banerjee's FALLS).
///
/// Repetition `n < count` begins at `start + n stride`. It goes to the same peer as the first only
/// if the stride is a multiple of the other side's period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Segments {
    /// Index of the first element of the first segment, in the moved part of the dimension.
    pub start: usize,
    /// Elements in every repetition but the last.
    pub len: usize,
    /// Distance from one repetition to the next, in elements.
    pub stride: usize,
    /// Number of repetitions, at least 1.
    pub count: usize,
    /// Elements in the last repetition, at least 1.
    pub last_len: usize,
    /// Coordinate of the destination rank of the first repetition.
    pub peer: usize,
    /// The source rank's local index of the first element.
    pub source_offset: usize,
    /// The destination rank's local index of the first element.
    pub destination_offset: usize,
}

/// The work of an algorithm to find the pieces of one rank, in its own unit operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Operations {
    /// Computations of where to begin or to end: bounds of FALLS, an owner by division.
    pub set_ups: usize,
    /// Blocks compared, or pieces evaluated.
    pub comparisons: usize,
}

/// An algorithm that finds what one source rank's blocks share with every destination rank's.
pub trait Intersection: Sync {
    /// The name of the algorithm.
    fn name(&self) -> &'static str;

    /// The publication, and the part of it that is here.
    fn source(&self) -> &'static str;

    /// Why it cannot be run for this dimension, if it cannot.
    ///
    /// # Errors
    /// The condition that is not met, in words.
    fn applies(&self, axis: &Axis) -> Result<(), &'static str>;

    /// Replaces `found` by the pieces of coordinate `rank` of the source, and returns what it cost.
    ///
    /// Allocates nothing if `found` has the capacity.
    ///
    /// # Panics
    /// If it does not [apply](Intersection::applies), or `rank` is none of the source's.
    fn intersect(&self, axis: &Axis, rank: usize, found: &mut Vec<Segments>) -> Operations;
}

/// All of them in the order of publication, and this crate's last.
pub const fn all() -> [&'static dyn Intersection; 10] {
    [
        &Classical,
        &Thakur,
        &Falls,
        &Pitfalls,
        &Scalapack,
        &HsuChung,
        &HsuChungAnyRanks,
        &BasicCycle,
        &Aspen,
        &Window,
    ]
}

/// The reason why [`all`] lacks *A Framework for Efficient Data Redistribution on Distributed
/// Memory Multicomputers*.
pub const GUO_NAKATA: &str = "not reconstructed: only its abstract is public (a local data descriptor, an index \
                              computation, a contention-free schedule of the fewest steps)";
