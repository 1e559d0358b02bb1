//! Parts between listed cuts, each with its owner: `blocks(cuts, owners)`.

use super::blocks::{Block, FEW};
use super::error::BlockCyclicError;
use crate::arithmetic::{max, min};
use crate::interned::interned;
use core::hash::{Hash, Hasher};

/// Parts of `extent` elements between cuts, which do not fall. The owners, a coordinate for each
/// part, are counted from the first coordinate. A rank stores its parts in the order of their
/// indices.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListedBlocks {
    /// First elements of all parts but the first.
    pub cuts: &'static [usize],
    /// The coordinate of each part's rank.
    pub owners: &'static [usize],
    /// Number of elements.
    pub extent: usize,
    /// Elements in the largest part, at least 1.
    pub largest: usize,
    /// Numbers of the parts, by owner and then rising; empty where owners are looked through, as in
    /// constants.
    by_owner: &'static [usize],
}

impl PartialEq for ListedBlocks {
    /// Ignores the index, which follows from the rest.
    fn eq(&self, other: &Self) -> bool {
        let facts = |blocks: &Self| (blocks.cuts, blocks.owners, blocks.extent);
        facts(self) == facts(other)
    }
}

impl Eq for ListedBlocks {}

impl Hash for ListedBlocks {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.cuts, self.owners, self.extent).hash(state);
    }
}

/// Ranks whose elements are counted in one walk over all parts.
const COUNTED_AT_ONCE: usize = 1 << 10;

impl ListedBlocks {
    /// # Errors
    /// A cut below the one before it or above the extent; not one owner for each part; an owner
    /// outside of the grid.
    pub const fn new(
        extent: usize,
        (cuts, owners): (&'static [usize], &'static [usize]),
        ranks: usize,
    ) -> Result<Self, BlockCyclicError> {
        let (mut place, mut start, mut largest) = (0, 0, 1);
        while place < cuts.len() {
            let cut = cuts[place];
            if cut < start {
                return Err(BlockCyclicError::CutsFall { place, cut, before: start });
            }
            if cut > extent {
                return Err(BlockCyclicError::CutOutside { place, cut, extent });
            }
            (largest, start) = (max(largest, cut - start), cut);
            place += 1;
        }
        if owners.len() != cuts.len() + 1 {
            let (owners, parts) = (owners.len(), cuts.len() + 1);
            return Err(BlockCyclicError::WrongNumberOfOwners { owners, parts });
        }
        let mut place = 0;
        while place < owners.len() {
            if owners[place] >= ranks {
                let owner = owners[place];
                return Err(BlockCyclicError::OwnerOutsideGrid { place, owner, ranks });
            }
            place += 1;
        }
        let largest = max(largest, extent - start);
        Ok(Self { cuts, owners, extent, largest, by_owner: &[] })
    }

    /// Returns the same parts with an index, so that a rank looks at its own alone. The index of a
    /// list is made once, and never freed.
    pub fn indexed(self) -> Self {
        if self.count() <= FEW || !self.by_owner.is_empty() {
            return self;
        }
        let mut numbers: Vec<usize> = (0..self.count()).collect();
        numbers.sort_by_key(|number| self.owners[*number]);
        Self { by_owner: interned(&numbers), ..self }
    }

    pub const fn count(&self) -> usize {
        self.owners.len()
    }

    const fn start(&self, number: usize) -> usize {
        if number == 0 { 0 } else { self.cuts[number - 1] }
    }

    const fn end(&self, number: usize) -> usize {
        if number < self.cuts.len() { self.cuts[number] } else { self.extent }
    }

    const fn len(&self, number: usize) -> usize {
        self.end(number) - self.start(number)
    }

    const fn block(&self, number: usize) -> Block {
        if number >= self.count() {
            let len = usize::MAX - self.extent;
            return Block { number: self.count(), start: self.extent, len };
        }
        Block { number, start: self.start(number), len: self.len(number) }
    }

    /// The part that holds element `global`. Elements past the extent count as one more part.
    pub const fn at(&self, global: usize) -> Block {
        if global >= self.extent {
            return self.block(self.count());
        }
        let (mut low, mut high) = (0, self.cuts.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.cuts[middle] <= global {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        self.block(low)
    }

    /// Returns the block that holds element `global`. Searches from `block` on, which must not begin
    /// after the element.
    pub const fn holding(&self, block: Block, global: usize) -> Block {
        if global < block.end() || block.number >= self.count() {
            return block;
        }
        let next = self.block(block.number + 1);
        if global < next.end() { next } else { self.at(global) }
    }

    /// Returns the first part of a rank from part `number` on, empty or not.
    const fn next_of(&self, owner: usize, mut number: usize) -> Option<usize> {
        if !self.by_owner.is_empty() {
            return self.next_by_index(owner, number);
        }
        while number < self.count() {
            if self.owners[number] == owner {
                return Some(number);
            }
            number += 1;
        }
        None
    }

    const fn next_by_index(&self, owner: usize, number: usize) -> Option<usize> {
        let (mut low, mut high) = (0, self.by_owner.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let part = self.by_owner[middle];
            let of = self.owners[part];
            if of < owner || of == owner && part < number {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low < self.by_owner.len() && self.owners[self.by_owner[low]] == owner {
            Some(self.by_owner[low])
        } else {
            None
        }
    }

    pub const fn first_of(&self, owner: usize) -> Option<Block> {
        match self.next_of(owner, 0) {
            Some(number) => Some(self.block(number)),
            None => None,
        }
    }

    pub const fn next_of_same(&self, block: Block) -> Option<Block> {
        match self.next_of(self.owners[block.number], block.number + 1) {
            Some(number) => Some(self.block(number)),
            None => None,
        }
    }

    pub const fn local_start(&self, number: usize) -> usize {
        if number >= self.count() {
            return 0;
        }
        self.below(self.owners[number], self.start(number))
    }

    /// Counts the elements of `0..end` on a rank.
    pub const fn below(&self, owner: usize, end: usize) -> usize {
        let (mut elements, mut next) = (0, self.next_of(owner, 0));
        while let Some(number) = next
            && self.start(number) < end
        {
            elements += min(self.end(number), end) - self.start(number);
            next = self.next_of(owner, number + 1);
        }
        elements
    }

    pub const fn global(&self, owner: usize, mut local: usize) -> Option<usize> {
        let mut next = self.next_of(owner, 0);
        while let Some(number) = next {
            if local < self.len(number) {
                return Some(self.start(number) + local);
            }
            local -= self.len(number);
            next = self.next_of(owner, number + 1);
        }
        None
    }

    /// Returns the most elements of `from..end` on one of `ranks` ranks.
    pub const fn most_between(&self, (from, end): (usize, usize), ranks: usize) -> usize {
        let (mut most, mut base) = (0, 0);
        while base < ranks {
            let mut held = [0; COUNTED_AT_ONCE];
            let mut number = self.at(from).number;
            while number < self.count() && self.start(number) < end {
                let owner = self.owners[number];
                if owner >= base && owner - base < COUNTED_AT_ONCE {
                    let len = min(self.end(number), end) - max(self.start(number), from);
                    held[owner - base] += len;
                    most = max(most, held[owner - base]);
                }
                number += 1;
            }
            base += COUNTED_AT_ONCE;
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_those_of_a_list_of_owners() {
        let cuts: &[usize] = &[0, 3, 3, 7, 8, 8, 12, 12, 12, 13, 13, 14, 14, 15, 15, 15, 15];
        let owners: &[usize] = &[4, 1, 1, 0, 1, 3, 2, 0, 4, 4, 1, 0, 2, 0, 1, 1, 4, 0];
        let blocks = ListedBlocks::new(15, (cuts, owners), 5).unwrap();
        assert_eq!((blocks.indexed().by_owner.len(), blocks.indexed()), (18, blocks));
        answers_are_right(blocks, (cuts, owners));
        answers_are_right(blocks.indexed(), (cuts, owners));
    }

    fn answers_are_right(blocks: ListedBlocks, (cuts, owners): (&[usize], &[usize])) {
        let owner_of = |index: usize| owners[cuts.iter().filter(|cut| **cut <= index).count()];
        for owner in 0..5 {
            let held: Vec<usize> = (0..15).filter(|index| owner_of(*index) == owner).collect();
            for (local, index) in held.iter().enumerate() {
                let block = blocks.at(*index);
                assert_eq!(owners[block.number], owner);
                assert_eq!(blocks.local_start(block.number) + index - block.start, local);
                assert_eq!(blocks.global(owner, local), Some(*index));
                assert_eq!(blocks.holding(blocks.at(0), *index), block);
            }
            assert_eq!(blocks.global(owner, held.len()), None);
            for end in 0..17 {
                let below = held.iter().filter(|index| **index < end).count();
                assert_eq!(blocks.below(owner, end), below);
            }
        }
        for (from, end) in (0..15).flat_map(|from| (from..16).map(move |end| (from, end))) {
            let held = |owner| (from..end.min(15)).filter(|at| owner_of(*at) == owner).count();
            assert_eq!(blocks.most_between((from, end), 5), (0..5).map(held).max().unwrap());
        }
        assert_eq!((blocks.at(15).number, blocks.at(15).end()), (18, usize::MAX));
    }

    #[test]
    fn lists_that_do_not_fit_say_what_is_wrong() {
        let error = |cuts, owners| ListedBlocks::new(9, (cuts, owners), 3).unwrap_err().to_string();
        assert!(
            error(&[4, 3], &[0, 1, 2]).contains("cut 1 of `blocks` is 3, below the 4 before it")
        );
        assert!(
            error(&[4, 10], &[0, 1, 2]).contains("cut 1 of `blocks` is 10, but the extent is 9")
        );
        assert!(error(&[4], &[0]).contains("1 owner for 2 parts"));
        assert!(
            error(&[4], &[0, 3])
                .contains("owner 1 of `blocks` is 3, but the grid has coordinates 0..3")
        );
    }
}
