//! One dimension dealt out in blocks: the closed forms of ScaLAPACK's TOOLS, zero-based and free of overflow.

use crate::arithmetic::{add_modulo, subtract_modulo};

/// The largest extent of a dimension: `2^63 - 1` elements on 64-bit machines, as for any Rust slice.
pub const MAX_EXTENT: usize = isize::MAX as usize;

/// `extent` elements in blocks of `block`, dealt to `ranks` ranks in turn, beginning with rank `first`.
///
/// Block `B` lives on rank `(B + first) mod ranks`; a rank stores its blocks one after the other.
/// BLOCK is the case `block = ceil(extent / ranks)`, CYCLIC the case `block = 1`.
///
/// ```
/// use redist_runtime::layout::BlockCyclic;
/// let rows = BlockCyclic::new(10, 2, 3, 0)?; // ranks 0 1 2 0 1, two elements each
/// assert_eq!(rows.numroc(0), 4);
/// assert_eq!((rows.owner(7), rows.local(7)), (0, 3));
/// assert_eq!(rows.global(0, 3), Some(7));
/// # Ok::<(), redist_runtime::layout::BlockCyclicError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockCyclic {
    extent: usize,
    block: usize,
    ranks: usize,
    first: usize,
}

/// What is wrong with the numbers of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum BlockCyclicError {
    /// A block of no elements can hold nothing.
    #[error("a block must hold at least 1 element, found 0")]
    ZeroBlock,
    /// Nobody is there to hold the elements.
    #[error("a grid extent must be at least 1, found 0")]
    ZeroRanks,
    /// Coordinates start at 0.
    #[error("the first block goes to coordinate {first}, but the grid has coordinates 0..{ranks}; choose one of them")]
    FirstOutsideGrid {
        /// The coordinate that was asked for.
        first: usize,
        /// The number of ranks along the dimension.
        ranks: usize,
    },
    /// No slice is that long.
    #[error("an extent of {extent} elements is above the largest, {MAX_EXTENT}")]
    ExtentTooLarge {
        /// The extent, in elements.
        extent: usize,
    },
    /// BLOCK(b) gives each rank at most one block.
    #[error(
        "block({block}) on {ranks} ranks holds {} elements, but the extent is {extent}; use `block` or `cyclic({block})`",
        block.saturating_mul(*ranks)
    )]
    BlockTooSmall {
        /// The block, in elements.
        block: usize,
        /// The number of ranks along the dimension.
        ranks: usize,
        /// The extent, in elements.
        extent: usize,
    },
}

impl BlockCyclic {
    /// Checks the numbers and keeps them.
    ///
    /// # Errors
    /// A zero block or grid, a first coordinate outside the grid, or an extent above [`MAX_EXTENT`].
    pub const fn new(extent: usize, block: usize, ranks: usize, first: usize) -> Result<Self, BlockCyclicError> {
        if block == 0 {
            return Err(BlockCyclicError::ZeroBlock);
        }
        if ranks == 0 {
            return Err(BlockCyclicError::ZeroRanks);
        }
        if first >= ranks {
            return Err(BlockCyclicError::FirstOutsideGrid { first, ranks });
        }
        if extent > MAX_EXTENT {
            return Err(BlockCyclicError::ExtentTooLarge { extent });
        }
        Ok(Self { extent, block, ranks, first })
    }

    /// The same elements in blocks of another size. On one rank this changes no owner and no local index.
    pub(crate) const fn with_block(self, block: usize) -> Self {
        Self { block, ..self }
    }

    /// Number of elements.
    pub const fn extent(&self) -> usize {
        self.extent
    }

    /// Elements in a block (ScaLAPACK MB or NB).
    pub const fn block(&self) -> usize {
        self.block
    }

    /// Ranks along the dimension (ScaLAPACK NPROW or NPCOL).
    pub const fn ranks(&self) -> usize {
        self.ranks
    }

    /// The rank that holds block 0 (ScaLAPACK RSRC or CSRC).
    pub const fn first(&self) -> usize {
        self.first
    }

    /// The rank's distance from `first`, going up: the number of its first block.
    pub const fn relative(&self, rank: usize) -> usize {
        subtract_modulo(rank, self.first, self.ranks)
    }

    /// The rank that holds block number `block`.
    pub const fn owner_of_block(&self, block: usize) -> usize {
        add_modulo(block % self.ranks, self.first, self.ranks)
    }

    /// The rank that holds element `global` (ScaLAPACK `indxg2p`).
    #[doc(alias = "indxg2p")]
    pub const fn owner(&self, global: usize) -> usize {
        self.owner_of_block(global / self.block)
    }

    /// Where its owner keeps element `global` (ScaLAPACK `indxg2l`).
    #[doc(alias = "indxg2l")]
    pub const fn local(&self, global: usize) -> usize {
        global / self.block / self.ranks * self.block + global % self.block
    }

    /// The element that `rank` keeps at `local`, if it has that many (ScaLAPACK `indxl2g`).
    #[doc(alias = "indxl2g")]
    pub const fn global(&self, rank: usize, local: usize) -> Option<usize> {
        let Some(blocks) = (local / self.block).checked_mul(self.ranks) else {
            return None;
        };
        let Some(block) = blocks.checked_add(self.relative(rank)) else {
            return None;
        };
        let Some(start) = block.checked_mul(self.block) else {
            return None;
        };
        match start.checked_add(local % self.block) {
            Some(global) if global < self.extent => Some(global),
            _ => None,
        }
    }

    /// How many elements `rank` holds (ScaLAPACK `numroc`).
    pub const fn numroc(&self, rank: usize) -> usize {
        self.owned_below(rank, self.extent)
    }

    /// How many of the elements `0..end` belong to `rank`: also the local index of its first element from `end` on.
    pub const fn owned_below(&self, rank: usize, end: usize) -> usize {
        let blocks = end / self.block;
        let (rounds, extra) = (blocks / self.ranks, blocks % self.ranks);
        let relative = self.relative(rank);
        rounds * self.block
            + if relative < extra {
                self.block
            } else if relative == extra {
                end % self.block
            } else {
                0
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_forms_equal_dealing_by_hand() {
        for (extent, block, ranks, first) in [(0, 3, 2, 1), (17, 3, 2, 1), (29, 4, 5, 3), (5, 9, 3, 2), (24, 1, 7, 0)] {
            let deal = BlockCyclic::new(extent, block, ranks, first).unwrap();
            let mut held = vec![0; ranks];
            for global in 0..extent {
                let owner = (first + global / block) % ranks;
                assert_eq!((deal.owner(global), deal.local(global)), (owner, held[owner]));
                assert_eq!(deal.global(owner, held[owner]), Some(global));
                assert_eq!(deal.owned_below(owner, global), held[owner]);
                held[owner] += 1;
            }
            for (rank, &count) in held.iter().enumerate() {
                assert_eq!(deal.numroc(rank), count);
                assert_eq!(deal.global(rank, count), None);
            }
        }
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        let deal = BlockCyclic::new(MAX_EXTENT, usize::MAX, usize::MAX, usize::MAX - 1).unwrap();
        assert_eq!(deal.numroc(usize::MAX - 1), MAX_EXTENT);
        assert_eq!(deal.owner(MAX_EXTENT - 1), usize::MAX - 1);
        let fine = BlockCyclic::new(MAX_EXTENT, 1, usize::MAX, 0).unwrap();
        assert_eq!((fine.numroc(MAX_EXTENT - 1), fine.numroc(MAX_EXTENT)), (1, 0));
    }
}
