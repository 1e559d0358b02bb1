//! The macro's constants for one dimension's window and blocks.

use redist_plan::plan::{Axis, Side};
use redist_plan::program::BlocksAndRanks;

/// True if code can be written out for the blocks of either side.
pub(crate) fn have_steps(axis: &Axis) -> bool {
    let ranks = [Side::Source, Side::Destination].map(|side| axis.side(side).ranks());
    axis.regular_blocks().is_some_and(|(from, to)| {
        BlocksAndRanks::new((from, ranks[0]), (to, ranks[1])).have_steps()
    })
}

/// The window of one dimension of the source.
pub struct DimensionWindow {
    /// The dimension, in the source's axes.
    pub dimension: usize,
    /// Blocks of the source and of the destination, in elements.
    pub blocks: (usize, usize),
    /// The pieces that the blocks cut each other into.
    pub pieces: usize,
}

impl DimensionWindow {
    pub(crate) fn new(dimension: usize, axis: &Axis) -> Self {
        let blocks = (axis.side(Side::Source).block(), axis.side(Side::Destination).block());
        DimensionWindow { dimension, blocks, pieces: axis.window_pieces() }
    }
}
