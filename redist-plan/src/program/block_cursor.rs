//! Walks over one rank's blocks.

use crate::arithmetic::max;
use crate::layout::Block;
use crate::plan::Section;

/// One of a rank's blocks, on a walk forward.
#[derive(Clone, Debug)]
pub(super) struct BlockCursor<'a> {
    section: &'a Section,
    /// Coordinate of the rank along the dimension.
    rank: usize,
    /// Length of a block, and of the gap to the next; `None` for given sizes.
    regular: Option<(usize, usize)>,
    /// First element of the block inside the section; `usize::MAX` after the last.
    pub start: usize,
    /// One past the last element, possibly past the section.
    pub end: usize,
    /// Local index of the first element.
    local: usize,
    /// The stored block, where sizes are given.
    given: Option<Block>,
}

/// The most blocks that are passed one by one, without a division.
const MAX_STEPS: usize = 4;

impl<'a> BlockCursor<'a> {
    pub fn new(section: &'a Section, rank: usize, index: usize) -> Self {
        let gap = |block: usize| (block, block.saturating_mul(section.ranks() - 1));
        let regular = section.regular_block().map(gap);
        let mut cursor = Self { section, rank, regular, start: 0, end: 0, local: 0, given: None };
        cursor.begin(index);
        cursor
    }

    fn begin(&mut self, index: usize) {
        let (start, local) =
            (self.section.next_owned(self.rank, index), self.section.local_from(self.rank, index));
        self.local = local;
        (self.start, self.end) =
            start.map_or((usize::MAX, usize::MAX), |start| (start, self.section.block_end(start)));
        self.given =
            start.filter(|_| self.regular.is_none()).map(|start| self.section.block_at(start));
    }

    /// Advances to the first block that ends after `index`, which must not decrease between calls.
    pub fn seek(&mut self, index: usize) {
        if let Some((block, gap)) = self.regular
            && index.saturating_sub(self.end) > MAX_STEPS.saturating_mul(block.saturating_add(gap))
        {
            return self.begin(index);
        }
        while self.end <= index && self.start < usize::MAX {
            self.next();
        }
    }

    fn next(&mut self) {
        self.local += self.end - self.start;
        let next = match self.regular {
            Some((block, gap)) => {
                let start = self.end.checked_add(gap);
                start.and_then(|start| Some((start, start.checked_add(block)?)))
            }
            None => self.next_given(),
        };
        (self.start, self.end) = next.unwrap_or((usize::MAX, usize::MAX));
    }

    /// Goes to the rank's next block that holds anything.
    fn next_given(&mut self) -> Option<(usize, usize)> {
        loop {
            let block = self.section.deal().next_given(self.given?);
            self.given = block;
            if let Some(block) = block.filter(|block| block.len > 0) {
                return Some((block.start - self.section.at(), self.section.end_of(block)));
            }
        }
    }

    /// Returns the local index of the first own element from `index` on, behind the previous block.
    pub fn local_from(&self, index: usize) -> usize {
        self.local + (max(index, self.start) - self.start)
    }

    /// Returns whole blocks from this one up to `end`: number, length, and distance of starts.
    pub fn whole_below(&self, end: usize) -> (usize, usize, usize) {
        let Some((block, gap)) = self.regular else { return (0, 0, 0) };
        let round = block.saturating_add(gap);
        let is_whole = self.end.checked_sub(self.start) == Some(block);
        let room = end
            .checked_sub(self.start)
            .filter(|_| is_whole)
            .and_then(|room| room.checked_sub(block));
        let count = room.map_or(0, |room| if room < round { 1 } else { room / round + 1 });
        (count, block, round)
    }

    pub fn skip(&mut self, count: usize) {
        let Some((block, gap)) = self.regular else { return };
        self.start += (count - 1) * (block + gap);
        self.end = self.start + block;
        self.local += (count - 1) * block;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::BlockCyclic;

    #[test]
    fn whole_blocks_are_passed_at_once() {
        let section = Section::new(BlockCyclic::new(200, 4, 3, 0).unwrap(), 0);
        let mut cursor = BlockCursor::new(&section, 1, 5);
        assert_eq!(cursor.whole_below(100), (0, 4, 12));
        cursor.seek(8);
        assert_eq!((cursor.start, cursor.whole_below(19)), (16, (0, 4, 12)));
        assert_eq!(
            (cursor.whole_below(20).0, cursor.whole_below(31).0, cursor.whole_below(32).0),
            (1, 1, 2)
        );
        cursor.skip(2);
        assert_eq!((cursor.start, cursor.end, cursor.local_from(28)), (28, 32, 8));
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        let deal = BlockCyclic::new(crate::layout::MAX_EXTENT, usize::MAX / 2, 3, 0).unwrap();
        let section = Section::new(deal, 0);
        let mut cursor = BlockCursor::new(&section, 0, 0);
        cursor.seek(usize::MAX / 2);
        assert_eq!(cursor.start, usize::MAX);
        assert_eq!(cursor.whole_below(usize::MAX).0, 0);
    }
}
