use redist_plan::plan::{Axis, Side};
use redist_plan::program::BlocksAndRanks;

/// Returns `true` if there is code for the blocks of either side.
pub(crate) fn have_steps(axis: &Axis) -> bool {
    let ranks = [Side::Source, Side::Destination].map(|side| axis.side(side).ranks());
    axis.regular_blocks().is_some_and(|(from, to)| {
        BlocksAndRanks::new((from, ranks[0]), (to, ranks[1])).have_steps()
    })
}

pub struct DimensionWindow {
    pub dimension: usize,
    /// In elements.
    pub blocks: (usize, usize),
    pub pieces: usize,
}

impl DimensionWindow {
    pub(crate) fn new(dimension: usize, axis: &Axis) -> Self {
        let blocks = (axis.side(Side::Source).block(), axis.side(Side::Destination).block());
        DimensionWindow { dimension, blocks, pieces: axis.window_pieces() }
    }
}
