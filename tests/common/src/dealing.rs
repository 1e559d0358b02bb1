//! One dimension, dealt like a pack of cards: element by element, without division and remainder,
//! unlike the planner's closed forms.

use crate::array::deal;
use redist::layout::{Dist, Factor, FactorDist};

/// Deals `extent` elements in blocks to `ranks` ranks in turn, beginning with rank `first`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Deal {
    pub extent: usize,
    pub blocks: Blocks,
    pub ranks: usize,
    pub first: usize,
}

/// Sizes of the blocks; some may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Blocks {
    Of(usize),
    Given(&'static [usize]),
    /// One block for each rank, of sizes that differ by 1 at most: the last are longer, or the first.
    Balanced {
        sizes: &'static [usize],
        last: bool,
    },
    /// Parts between cuts, and the rank of each, counted from the first.
    Listed {
        cuts: &'static [usize],
        owners: &'static [usize],
    },
    Rows {
        lengths: &'static [usize],
        /// Rows that go to the same ranks before the next ranks' turn.
        turn: usize,
        /// Ranks that share a row.
        parts: usize,
    },
    /// Factors of the dimension, each dealt by itself.
    Split(&'static [Factor]),
}

#[derive(Clone, Debug)]
pub struct Dealt {
    /// By global index.
    pub owner: Vec<usize>,
    /// The place in that rank's list, by global index.
    pub local: Vec<usize>,
    /// Each rank's elements, in order.
    pub held: Vec<Vec<usize>>,
    /// By global index; empty blocks count.
    pub block: Vec<usize>,
    pub begins_block: Vec<bool>,
}

impl Deal {
    pub fn simulate(self) -> Dealt {
        let mut dealt = Dealt::empty(self.ranks);
        if let Blocks::Rows { lengths, turn, parts } = self.blocks {
            dealt.give_rows(lengths, turn, parts, self.first);
            assert_eq!(dealt.owner.len(), self.extent, "rows make the extent");
            return dealt;
        }
        if let Blocks::Split(factors) = self.blocks {
            dealt.give_factors(factors, self.first);
            assert_eq!(dealt.owner.len(), self.extent, "factors make the extent");
            return dealt;
        }
        if let Blocks::Listed { cuts, owners } = self.blocks {
            let (mut part, mut begins) = (0, true);
            for element in 0..self.extent {
                while cuts.get(part).is_some_and(|cut| *cut <= element) {
                    part += 1;
                    begins = true;
                }
                let rank = owners[part] + self.first;
                let rank = if rank < self.ranks { rank } else { rank - self.ranks };
                dealt.give(element, rank, part, begins);
                begins = false;
            }
            return dealt;
        }
        let (mut rank, mut block, mut in_block) = (self.first, 0, 0);
        for element in 0..self.extent {
            while in_block == self.blocks.size(block) {
                rank = if rank + 1 == self.ranks { 0 } else { rank + 1 };
                block += 1;
                in_block = 0;
            }
            dealt.give(element, rank, block, in_block == 0);
            in_block += 1;
        }
        dealt
    }
}

/// The same words for a whole dimension.
fn plain(dist: FactorDist) -> Dist {
    match dist {
        FactorDist::Collapsed => Dist::Collapsed,
        FactorDist::Block => Dist::Block,
        FactorDist::BlockOf(block) => Dist::BlockOf(block),
        FactorDist::Balanced { last } => Dist::Balanced { last },
        FactorDist::Cyclic(block) => Dist::Cyclic(block),
    }
}

/// Keeps a list as that of a run-time layout: equal lists are kept once.
pub fn kept(sizes: &[usize]) -> &'static [usize] {
    match Dist::gen_block(sizes) {
        Dist::GenBlock(sizes) => sizes,
        dist => unreachable!("{dist} is no gen_block"),
    }
}

impl Blocks {
    /// Gives one element at a time to each rank's block, from the first rank on or from the last.
    pub fn balanced(extent: usize, ranks: usize, last: bool) -> Self {
        let (mut sizes, mut rank) = (vec![0; ranks], 0);
        for _ in 0..extent {
            sizes[if last { ranks - 1 - rank } else { rank }] += 1;
            rank = if rank + 1 == ranks { 0 } else { rank + 1 };
        }
        Blocks::Balanced { sizes: kept(&sizes), last }
    }

    fn size(self, block: usize) -> usize {
        match self {
            Blocks::Of(size) => size,
            Blocks::Given(sizes) | Blocks::Balanced { sizes, .. } => sizes[block],
            Blocks::Listed { .. } => unreachable!("parts are dealt by their cuts"),
            Blocks::Rows { .. } => unreachable!("rows are dealt row by row"),
            Blocks::Split(_) => unreachable!("factors are dealt index by index"),
        }
    }

    pub fn regular(self) -> Option<usize> {
        match self {
            Blocks::Of(size) => Some(size),
            Blocks::Balanced { sizes, .. } => of_one_size(sizes),
            Blocks::Given(_) | Blocks::Listed { .. } | Blocks::Rows { .. } | Blocks::Split(_) => {
                None
            }
        }
    }
}

/// Returns the size of blocks that are all alike, up to the extent.
fn of_one_size(sizes: &[usize]) -> Option<usize> {
    let (block, mut left) = (sizes[0].max(1), sizes.iter().sum::<usize>());
    let mut is_next = |size: &usize| {
        let expected = block.min(left);
        left -= expected;
        *size == expected
    };
    let are_alike = sizes.iter().all(&mut is_next);
    (are_alike && left == 0).then_some(block)
}

impl Dealt {
    fn empty(ranks: usize) -> Self {
        Self {
            owner: Vec::new(),
            local: Vec::new(),
            held: vec![Vec::new(); ranks],
            block: Vec::new(),
            begins_block: Vec::new(),
        }
    }

    /// Deals the rows point by point; `base` is the first rank of the current turn.
    fn give_rows(&mut self, lengths: &[usize], turn: usize, parts: usize, first: usize) {
        let ranks = self.held.len();
        let (mut base, mut rows_of_turn) = (0, 0);
        for (row, &length) in lengths.iter().enumerate() {
            if rows_of_turn == turn {
                base = if base + parts == ranks { 0 } else { base + parts };
                rows_of_turn = 0;
            }
            rows_of_turn += 1;
            let size = (0..=length).find(|size| size * parts >= length).expect("length is enough");
            let (mut part, mut in_part) = (0, 0);
            for _ in 0..length {
                if in_part == size {
                    part += 1;
                    in_part = 0;
                }
                let rank = base + part + first;
                let rank = if rank < ranks { rank } else { rank - ranks };
                self.give(self.owner.len(), rank, row * parts + part, in_part == 0);
                in_part += 1;
            }
        }
    }

    /// Deals each factor, and counts through the indices of all of them as an odometer does.
    fn give_factors(&mut self, factors: &[Factor], first: usize) {
        let ranks = self.held.len();
        let said: usize = factors.iter().filter_map(|factor| factor.ranks).product();
        let rest = (1..=ranks).find(|rest| rest * said == ranks).expect("the ranks are a multiple");
        let dealt: Vec<(Dealt, usize)> = factors
            .iter()
            .map(|Factor { extent, dist, ranks }| {
                let ranks = ranks.unwrap_or(if *dist == FactorDist::Collapsed { 1 } else { rest });
                (deal(plain(*dist), *extent, ranks, 0).simulate(), ranks)
            })
            .collect();
        if factors.iter().any(|factor| factor.extent == 0) {
            return;
        }
        let (mut index, mut block, mut before) = (vec![0; factors.len()], 0, None);
        loop {
            let mut rank = 0;
            for ((dealt, ranks), index) in dealt.iter().zip(&index) {
                rank = rank * ranks + dealt.owner[*index];
            }
            let rank = if rank + first < ranks { rank + first } else { rank + first - ranks };
            let begins = before.is_none_or(|before| before != rank);
            block += usize::from(begins && before.is_some());
            self.give(self.owner.len(), rank, block, begins);
            before = Some(rank);
            let next = (0..index.len()).rev().find(|place| {
                index[*place] += 1;
                let is_past = index[*place] == factors[*place].extent;
                if is_past {
                    index[*place] = 0;
                }
                !is_past
            });
            if next.is_none() {
                return;
            }
        }
    }

    fn give(&mut self, element: usize, rank: usize, block: usize, begins_block: bool) {
        self.owner.push(rank);
        self.local.push(self.held[rank].len());
        self.held[rank].push(element);
        self.block.push(block);
        self.begins_block.push(begins_block);
    }
}
