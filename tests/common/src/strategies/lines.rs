//! Random dimensions.

use super::{cuts, listed, owned_cuts, sizes};
use crate::dealing::{Blocks, Deal};
use crate::movement::Movement;
use proptest::prelude::*;
use redist::layout::Dist;
use redist::plan::Axis;
use redist::{Layout, Plan};

type BlocksOnRanks = (usize, usize, usize);

pub fn blocks_on_ranks() -> impl Strategy<Value = BlocksOnRanks> {
    (1..=16usize, 1..=8usize, 0..8usize)
        .prop_map(|(block, ranks, first)| (block, ranks, first % ranks))
}

/// A dealt dimension of unknown extent: blocks of one size, or cuts, on ranks from a first one on.
#[derive(Clone, Debug)]
enum RandomLine {
    Regular(BlocksOnRanks),
    Cut(Vec<usize>, usize),
    /// Cuts and numbers of owners, on so many ranks, from a first one on.
    Listed((Vec<usize>, Vec<usize>), usize, usize),
    /// So many ranks, the first one, and `true` for the longer blocks at the end.
    Balanced(usize, usize, bool),
    /// Rows: so many at a time, ranks that share one, and groups of these.
    Rows(Vec<usize>, usize, [usize; 2], usize),
}

impl RandomLine {
    fn deal(&self, extent: usize) -> Deal {
        match self {
            RandomLine::Regular((block, ranks, first)) => {
                Deal { extent, blocks: Blocks::Of(*block), ranks: *ranks, first: *first }
            }
            RandomLine::Listed((cuts, numbers), ranks, first) => {
                let (cuts, owners) = listed((cuts, numbers), extent, *ranks);
                let blocks = Blocks::Listed { cuts, owners };
                Deal { extent, blocks, ranks: *ranks, first: first % ranks }
            }
            RandomLine::Balanced(ranks, first, last) => {
                let blocks = Blocks::balanced(extent, *ranks, *last);
                Deal { extent, blocks, ranks: *ranks, first: first % ranks }
            }
            RandomLine::Cut(cuts, first) => {
                let ranks = cuts.len() + 1;
                Deal {
                    extent,
                    blocks: Blocks::Given(sizes(cuts, extent)),
                    ranks,
                    first: first % ranks,
                }
            }
            RandomLine::Rows(cuts, turn, [parts, groups], first) => {
                let (ranks, lengths) = (parts * groups, sizes(cuts, extent));
                let blocks = Blocks::Rows { lengths, turn: *turn, parts: *parts };
                Deal { extent, blocks, ranks, first: first % ranks }
            }
        }
    }
}

pub fn deals() -> impl Strategy<Value = Deal> {
    let line =
        prop_oneof![2 => blocks_on_ranks().prop_map(RandomLine::Regular), 1 => given_blocks()];
    (0..200usize, line).prop_map(|(extent, line)| line.deal(extent))
}

fn given_blocks() -> impl Strategy<Value = RandomLine> {
    let first = || 0..8usize;
    let rows = (cuts(12), 1..4usize, [1..4usize, 1..4usize], first())
        .prop_map(|(cuts, turn, ranks, first)| RandomLine::Rows(cuts, turn, ranks, first));
    let balanced = (1..12usize, first(), any::<bool>())
        .prop_map(|(ranks, first, last)| RandomLine::Balanced(ranks, first, last));
    let cut = (cuts(8), first()).prop_map(|(cuts, first)| RandomLine::Cut(cuts, first));
    let listed = (owned_cuts(12), 1..7usize, first())
        .prop_map(|(parts, ranks, first)| RandomLine::Listed(parts, ranks, first));
    prop_oneof![1 => cut, 1 => rows, 1 => balanced, 1 => listed]
}

/// One dimension: any blocks on both sides, possibly of a section, possibly of nothing.
#[derive(Clone, Copy, Debug)]
pub struct LineCase {
    pub len: usize,
    pub source: (Deal, usize),
    pub destination: (Deal, usize),
}

impl LineCase {
    pub fn axis(&self) -> Axis {
        let layout = |(deal, at): (Deal, usize)| {
            let dist = match deal.blocks {
                Blocks::Of(block) => Dist::Cyclic(block),
                Blocks::Balanced { last, .. } => Dist::Balanced { last },
                Blocks::Given(sizes) => Dist::GenBlock(sizes),
                Blocks::Split(factors) => Dist::Split(factors),
                Blocks::Listed { cuts, owners } => Dist::Blocks { cuts, owners },
                Blocks::Rows { lengths, turn, parts } => {
                    Dist::Rows { lengths, turn: Some(turn), points: parts }
                }
            };
            Layout::new([dist], [deal.ranks]).first([deal.first]).of([deal.extent]).at([at])
        };
        let plan = Plan::new([self.len], layout(self.source), layout(self.destination));
        plan.expect("the strategy keeps to the rules").axis(0)
    }

    pub fn movement(&self) -> Movement {
        Movement::sections(self.len, self.source, self.destination)
    }

    pub fn regular_blocks(&self) -> Option<(usize, usize)> {
        self.source.0.blocks.regular().zip(self.destination.0.blocks.regular())
    }
}

/// Random dimensions. Half of them are whole arrays, whose periods and windows begin on a block.
pub fn lines() -> impl Strategy<Value = LineCase> {
    let margins = prop_oneof![Just([(0, 0); 2]), prop::array::uniform2((0..40usize, 0..10usize))];
    (0..160usize, sides_of_a_line(), margins).prop_map(|(len, (source, destination), margins)| {
        let side = |line: RandomLine, (before, after)| (line.deal(before + len + after), before);
        LineCase {
            len,
            source: side(source, margins[0]),
            destination: side(destination, margins[1]),
        }
    })
}

/// A quarter nest their blocks on as many ranks, as kr→r and r→kr. Half have given blocks or rows.
fn sides_of_a_line() -> impl Strategy<Value = (RandomLine, RandomLine)> {
    let nested = (blocks_on_ranks(), 1..=6usize, 0..8usize, any::<bool>()).prop_map(
        |((block, ranks, first), k, other_first, swapped)| {
            let (fine, coarse) = ((block, ranks, first), (block * k, ranks, other_first % ranks));
            let (fine, coarse) = (RandomLine::Regular(fine), RandomLine::Regular(coarse));
            if swapped { (fine, coarse) } else { (coarse, fine) }
        },
    );
    let regular = || blocks_on_ranks().prop_map(RandomLine::Regular);
    prop_oneof![
        2 => (regular(), regular()),
        2 => nested,
        1 => (given_blocks(), given_blocks()),
        1 => (given_blocks(), regular()),
        1 => (regular(), given_blocks()),
        1 => given_blocks().prop_map(|line| (line.clone(), line)),
    ]
}
