//! One block for each rank, of two sizes: `block balanced`, in closed form.

use super::blocks::Block;
use crate::arithmetic::{max, min};

/// Blocks of `len` elements on the first `lead` ranks, and of `rest` elements on all others, one
/// for each rank. There are ranks of either kind, and `rest` is at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct BalancedBlocks {
    /// Number of blocks before the size changes.
    pub lead: usize,
    /// Elements in each of these, possibly 0.
    pub len: usize,
    /// Elements in each block behind them.
    pub rest: usize,
    /// Number of blocks, which is that of the ranks.
    pub ranks: usize,
}

/// Blocks of one size, one after the other, which a balanced dimension has two stretches of.
pub(super) struct Stretch {
    /// Elements in each block.
    pub block: usize,
    /// Index of the given element, where all blocks before it had this size.
    pub index: usize,
    /// The extent, where all blocks before the stretch's end had this size.
    pub extent: usize,
    /// Elements from the given one up to the stretch's end.
    pub left: usize,
}

impl BalancedBlocks {
    /// Makes the blocks of `extent` elements on `ranks` ranks. The first `extent mod ranks` blocks,
    /// or the last, have one element more; `Err` has the size of blocks that are all alike.
    pub const fn new(extent: usize, ranks: usize, last: bool) -> Result<Self, usize> {
        let (each, longer) = (extent / ranks, extent % ranks);
        if longer == 0 {
            return Err(max(each, 1));
        }
        if last {
            return Ok(Self { lead: ranks - longer, len: each, rest: each + 1, ranks });
        }
        // Then only the last block with elements is shorter, as with `block`.
        if each == 0 || longer + 1 == ranks {
            return Err(each + 1);
        }
        Ok(Self { lead: longer, len: each + 1, rest: each, ranks })
    }

    pub const fn is_last_longer(&self) -> bool {
        self.rest > self.len
    }

    /// Elements in the largest block, at least 1.
    pub const fn largest(&self) -> usize {
        max(self.len, self.rest)
    }

    /// First element of the blocks of the second size.
    const fn change(&self) -> usize {
        self.lead * self.len
    }

    /// Returns the first element of a block; the extent for those behind the last.
    const fn start(&self, number: usize) -> usize {
        if number <= self.lead {
            number * self.len
        } else {
            self.change() + (min(number, self.ranks) - self.lead) * self.rest
        }
    }

    pub const fn block(&self, number: usize) -> Block {
        let start = self.start(number);
        let len = if number >= self.ranks {
            usize::MAX - start
        } else if number < self.lead {
            self.len
        } else {
            self.rest
        };
        Block { number: min(number, self.ranks), start, len }
    }

    /// The block that holds element `global`. Elements past the extent count as one more block.
    pub const fn at(&self, global: usize) -> Block {
        let change = self.change();
        self.block(if global < change {
            global / self.len
        } else {
            self.lead + (global - change) / self.rest
        })
    }

    /// Counts the elements of `0..end` in a block.
    pub const fn below(&self, number: usize, end: usize) -> usize {
        let start = self.start(number);
        min(end, self.start(number + 1)).saturating_sub(start)
    }

    pub const fn global(&self, number: usize, local: usize) -> Option<usize> {
        let block = self.block(number);
        if number < self.ranks && local < block.len { Some(block.start + local) } else { None }
    }

    /// Returns the stretch from an element on.
    pub const fn stretch(&self, global: usize) -> Stretch {
        let change = self.change();
        if global < change {
            let left = change - global;
            return Stretch { block: self.len, index: global, extent: change, left };
        }
        let index = global - change + self.lead * self.rest;
        let extent = self.ranks * self.rest;
        Stretch { block: self.rest, index, extent, left: extent.saturating_sub(index) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes by the words of the definition.
    fn sizes(extent: usize, ranks: usize, last: bool) -> Vec<usize> {
        let (each, longer) = (extent / ranks, extent % ranks);
        let has_more = |rank: usize| if last { rank >= ranks - longer } else { rank < longer };
        (0..ranks).map(|rank| each + usize::from(has_more(rank))).collect()
    }

    #[test]
    fn closed_forms_are_those_of_the_listed_sizes() {
        for (extent, ranks, last) in (0..40).flat_map(|extent| {
            (1..9).flat_map(move |ranks| [false, true].map(|last| (extent, ranks, last)))
        }) {
            let sizes = sizes(extent, ranks, last);
            let blocks = match BalancedBlocks::new(extent, ranks, last) {
                Ok(blocks) => blocks,
                Err(block) => {
                    let dealt = |rank| extent.saturating_sub(rank * block).min(block);
                    assert!((0..ranks).map(dealt).eq(sizes), "{extent} {ranks} {last}");
                    continue;
                }
            };
            assert_eq!(blocks.is_last_longer(), last);
            let mut start = 0;
            for (number, size) in sizes.iter().enumerate() {
                assert_eq!(blocks.block(number), Block { number, start, len: *size });
                for local in 0..*size {
                    assert_eq!(blocks.at(start + local).number, number);
                    assert_eq!(blocks.global(number, local), Some(start + local));
                    let stretch = blocks.stretch(start + local);
                    assert_eq!(stretch.index / stretch.block, number);
                    assert_eq!((stretch.block, stretch.index % stretch.block), (*size, local));
                }
                assert_eq!(blocks.global(number, *size), None);
                for end in 0..extent + 2 {
                    let below = (start..start + size).filter(|index| *index < end).count();
                    assert_eq!(blocks.below(number, end), below);
                }
                start += size;
            }
            assert_eq!((blocks.at(extent).number, blocks.at(extent).end()), (ranks, usize::MAX));
        }
    }
}
