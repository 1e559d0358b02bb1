//! One move: M × N elements from a section of matrix 0 to a section of matrix 1.

use redist::Layout;
use redist::layout::{NotationError, RankOrder};
use redist_scalapack::{Descriptor, Grid};
use std::fmt;

#[derive(Clone, Debug)]
pub struct Case {
    pub moved: [usize; 2],
    pub sides: [Side; 2],
    /// The testers' number in `literal.rs`, if drawn: even there, odd back.
    pub literal: Option<usize>,
}

/// In ScaLAPACK's terms, but from 0.
#[derive(Clone, Debug)]
pub struct Side {
    pub extents: [usize; 2],
    pub blocks: [usize; 2],
    pub grid: [usize; 2],
    pub order: RankOrder,
    /// RSRC, CSRC.
    pub source: [usize; 2],
    pub at: [usize; 2],
    /// On ranks of even number; others have twice as much.
    pub padding: usize,
}

impl Case {
    pub fn reversed(&self) -> Self {
        let [first, second] = self.sides.clone();
        Self { sides: [second, first], literal: self.literal.map(|number| number + 1), ..*self }
    }
}

impl Side {
    pub fn layout(&self) -> Result<Layout<2>, NotationError> {
        self.to_string().parse()
    }

    pub fn descriptor(&self, grid: &Grid, rank: usize) -> Descriptor {
        let more = if rank.is_multiple_of(2) { self.padding } else { 2 * self.padding };
        Descriptor::padded(self.extents, self.blocks, self.source, grid, more)
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { extents, blocks: [mb, nb], grid: [p, q], order, source, at, .. } = self;
        let [rsrc, csrc] = source;
        let order = if *order == RankOrder::Col { "order col" } else { "order row" };
        write!(
            f,
            "scalapack({mb}, {nb}, {p}, {q}, {rsrc}, {csrc}) {order} of {extents:?} at {at:?}"
        )
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { moved, sides: [from, to], .. } = self;
        let padding = [from.padding, to.padding];
        write!(f, "{moved:?} from: {from}, to: {to}; padded by {padding:?}")
    }
}
