//! The cases of Hsu and Chung's experiments.

use redist::layout::{BlockCyclic, Dist};
use redist::plan::Axis;
use redist::{Layout, Plan, Side};

/// Ranks of the paper's machine.
pub const RANKS: usize = 64;

/// Elements of the arrays, single precision.
pub const ELEMENTS: [usize; 5] = [1_280_000, 2_560_000, 3_840_000, 5_120_000, 6_400_000];

/// Blocks of `k r` elements on one side and of `r` on the opposite side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KrCase {
    /// Elements of the array.
    pub elements: usize,
    /// Ranks on either side.
    pub ranks: usize,
    /// Elements in a large block over elements in a small one.
    pub k: usize,
    /// Elements in a small block.
    pub r: usize,
    /// The source has the large blocks (kr→r).
    pub scatters: bool,
}

impl KrCase {
    /// Lists the paper's table: `r = 2` with four values of `k`, and BLOCK with CYCLIC, in both
    /// directions. `ranks` divides the extents.
    pub fn all(elements: &[usize], ranks: usize) -> Vec<KrCase> {
        let blocks = |elements: usize| [(5, 2), (25, 2), (50, 2), (100, 2), (elements / ranks, 1)];
        let case = |elements, (k, r), scatters| KrCase { elements, ranks, k, r, scatters };
        let of_blocks =
            |elements, blocks| [true, false].map(|scatters| case(elements, blocks, scatters));
        elements
            .iter()
            .flat_map(|n| blocks(*n).into_iter().flat_map(|blocks| of_blocks(*n, blocks)))
            .collect()
    }

    pub fn block(&self, side: Side) -> usize {
        if (side == Side::Source) == self.scatters { self.k * self.r } else { self.r }
    }

    pub fn word(&self, side: Side) -> String {
        match self.block(side) {
            1 => "cyclic".into(),
            block if block * self.ranks >= self.elements => "block".into(),
            block => format!("cyclic({block})"),
        }
    }

    pub fn direction(&self) -> &'static str {
        if self.scatters { "kr→r" } else { "r→kr" }
    }

    /// # Panics
    /// If a block or a number of ranks is 0.
    pub fn plan(&self) -> Plan<1> {
        let [from, to] = [Side::Source, Side::Destination]
            .map(|side| Layout::new([Dist::Cyclic(self.block(side))], [self.ranks]));
        Plan::new([self.elements], from, to).expect("whole blocks on at least one rank")
    }

    pub fn axis(&self) -> Axis {
        self.plan().axis(0)
    }

    pub fn deal(&self, side: Side) -> BlockCyclic {
        self.axis().side(side).deal()
    }

    pub fn mirrored(&self) -> KrCase {
        KrCase { scatters: !self.scatters, ..*self }
    }
}
