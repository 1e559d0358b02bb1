//! The algorithms of the literature, side by side: what blocks of one rank meet on the other side.
//!
//! None of them is called to move anything: the planner uses the [window table](Axis::window_walk). They are here to be
//! compared, one file an algorithm, all behind the trait [`Intersection`] and with one type of output, so that each
//! checks the others. Every one counts its own operations.

use super::Axis;

/// A family of line segments (a FALLS, in the words of Ramaswamy and Banerjee): equal segments of global indices at equal
/// distances, with where the first of them goes.
///
/// Repetition `n < count` is `start + n stride ..` and as long as `len`, but for the last, which has `last_len`. Whether
/// the other repetitions go to the same peer depends on the algorithm, whose stride may or may not be a multiple of the
/// other side's period.
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
    /// Where the source rank keeps the first element, in its local array.
    pub source_offset: usize,
    /// Where the destination rank keeps the first element.
    pub destination_offset: usize,
}

/// What an algorithm did to find the pieces of one rank, in its own unit operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Operations {
    /// Computations of where to begin or to end: bounds of FALLS, an owner by division.
    pub set_ups: usize,
    /// Blocks compared, or pieces evaluated.
    pub comparisons: usize,
}

/// An algorithm that finds what one source rank's blocks have in common with those of every destination rank.
pub trait Intersection: Sync {
    /// What it is called.
    fn name(&self) -> &'static str;

    /// Where it was published, and what of it stands here.
    fn source(&self) -> &'static str;

    /// Why it cannot be run for this dimension, if it cannot.
    ///
    /// # Errors
    /// The condition that is not met, in words.
    fn applies(&self, axis: &Axis) -> Result<(), &'static str>;

    /// Puts the pieces of coordinate `rank` of the source into `found`, which it empties first, and tells what it cost.
    ///
    /// Allocates nothing if `found` has the capacity.
    ///
    /// # Panics
    /// If it does not [apply](Intersection::applies), or `rank` is none of the source's.
    fn intersect(&self, axis: &Axis, rank: usize, found: &mut Vec<Segments>) -> Operations;
}
