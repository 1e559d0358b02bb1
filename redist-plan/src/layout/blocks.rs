//! Blocks of a dimension, of one size or of given sizes.

use crate::arithmetic::{max, min};
use crate::interned::interned;
use core::hash::{Hash, Hasher};

/// One block of a dealt dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// Its number, from 0. Empty blocks are numbered, too.
    pub number: usize,
    /// Its first element.
    pub start: usize,
    /// Elements in it. Blocks of one size may reach past the extent.
    pub len: usize,
}

impl Block {
    /// Returns one past its last element; `usize::MAX` if that does not fit.
    pub const fn end(&self) -> usize {
        self.start.saturating_add(self.len)
    }
}

/// Rows of given lengths, at least one, which add up to the extent. Each row is cut into `parts`
/// blocks, numbered row by row, a block for each rank of its group. A GEN_BLOCK has one row a rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct GivenBlocks {
    /// Elements of each row.
    pub lengths: &'static [usize],
    /// Neighbouring rows that go to one group of ranks in a turn.
    pub turn: usize,
    /// Blocks in a row, which are ranks in a group.
    pub parts: usize,
    /// Elements in the largest block, at least 1.
    pub largest: usize,
    /// First element of each row; empty where rows are added up, as in constants.
    starts: &'static [usize],
}

/// Rows, or listed parts, up to which adding up is as fast as an index.
pub(super) const FEW: usize = 16;

/// Rows, or listed parts, that a walk passes one by one before it searches an index.
pub(super) const NEAR: usize = 4;

impl PartialEq for GivenBlocks {
    /// Ignores the index, which follows from the rest.
    fn eq(&self, other: &Self) -> bool {
        let facts = |blocks: &Self| (blocks.lengths, blocks.turn, blocks.parts);
        facts(self) == facts(other)
    }
}

impl Eq for GivenBlocks {}

impl Hash for GivenBlocks {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.lengths, self.turn, self.parts).hash(state);
    }
}

impl GivenBlocks {
    /// `turn` and `parts` are at least 1.
    pub const fn new(lengths: &'static [usize], turn: usize, parts: usize) -> Self {
        let (mut longest, mut row) = (1, 0);
        while row < lengths.len() {
            longest = max(longest, lengths[row]);
            row += 1;
        }
        Self { lengths, turn, parts, largest: longest.div_ceil(parts), starts: &[] }
    }

    /// Returns the same blocks with an index, so that a rank looks at its own rows alone. The index
    /// of a list is made once, and never freed.
    pub fn indexed(self) -> Self {
        if self.lengths.len() <= FEW || !self.starts.is_empty() {
            return self;
        }
        let mut end = 0;
        let starts = self.lengths.iter().map(|length| {
            end += length;
            end - length
        });
        Self { starts: interned(&starts.collect::<Vec<_>>()), ..self }
    }

    /// Returns the first element of a row, given a row that is not after it with its first element.
    const fn start_of(&self, row: usize, (mut from, mut start): (usize, usize)) -> usize {
        if !self.starts.is_empty() {
            return self.starts[row];
        }
        while from < row {
            start += self.lengths[from];
            from += 1;
        }
        start
    }

    pub const fn count(&self) -> usize {
        self.lengths.len().saturating_mul(self.parts)
    }

    pub const fn relative_owner(&self, number: usize, ranks: usize) -> usize {
        let (row, part) = (number / self.parts, number % self.parts);
        row / self.turn % (ranks / self.parts) * self.parts + part
    }

    const fn part(&self, row: usize, part: usize) -> (usize, usize) {
        let len = self.lengths[row];
        let size = len.div_ceil(self.parts);
        (min(part.saturating_mul(size), len), min((part + 1).saturating_mul(size), len))
    }

    const fn next_row(&self, row: usize, ranks: usize) -> usize {
        if (row + 1).is_multiple_of(self.turn) {
            let others = (ranks / self.parts - 1).saturating_mul(self.turn);
            (row + 1).saturating_add(others)
        } else {
            row + 1
        }
    }

    const fn first_row(&self, relative: usize) -> (usize, usize) {
        ((relative / self.parts).saturating_mul(self.turn), relative % self.parts)
    }

    pub const fn local_start(&self, number: usize, ranks: usize) -> usize {
        let row = number / self.parts;
        let (mut own, part) = self.first_row(self.relative_owner(number, ranks));
        let mut local = 0;
        while own < row {
            let (start, end) = self.part(own, part);
            local += end - start;
            own = self.next_row(own, ranks);
        }
        local
    }

    pub const fn global(&self, relative: usize, ranks: usize, mut local: usize) -> Option<usize> {
        let (mut own, part) = self.first_row(relative);
        let (mut row, mut start) = (0, 0);
        while own < self.lengths.len() {
            (row, start) = (own, self.start_of(own, (row, start)));
            let (from, to) = self.part(own, part);
            if local < to - from {
                return Some(start + from + local);
            }
            local -= to - from;
            own = self.next_row(own, ranks);
        }
        None
    }

    /// Counts the elements of `0..end` on a rank, which is counted from that of block 0.
    pub const fn below(&self, relative: usize, ranks: usize, end: usize) -> usize {
        let (mut own, part) = self.first_row(relative);
        let (mut row, mut start, mut elements) = (0, 0, 0);
        while own < self.lengths.len() {
            (row, start) = (own, self.start_of(own, (row, start)));
            if start >= end {
                break;
            }
            let (from, to) = self.part(own, part);
            elements += min(max(end - start, from), to) - from;
            own = self.next_row(own, ranks);
        }
        elements
    }

    pub const fn has_stretches(&self, ranks: usize) -> bool {
        self.parts == 1 && self.lengths.len() <= self.turn.saturating_mul(ranks)
    }

    /// Bounds the elements of any `len` neighbours that one rank has; exact for few blocks.
    pub fn most_of(&self, ranks: usize, len: usize) -> usize {
        const MANY: usize = 1 << 16;
        if self.turn == 1 && self.lengths.len() <= ranks / self.parts {
            return min(len, self.largest);
        }
        if self.count() > MANY {
            let parts = self.lengths.iter().map(|length| length.div_ceil(self.parts));
            return min(len, parts.fold(0, usize::saturating_add));
        }
        let mut end = 0;
        let starts = self.lengths.iter().map(|length| {
            end += length;
            end - length
        });
        let starts: Vec<usize> = starts.collect();
        let holders = 0..min(ranks, self.count());
        let most = holders.map(|relative| self.most_of_rank(&starts, relative, (ranks, len)));
        most.max().unwrap_or(0)
    }

    fn most_of_rank(
        &self,
        starts: &[usize],
        relative: usize,
        (ranks, len): (usize, usize),
    ) -> usize {
        let (first, part) = self.first_row(relative);
        let block = |row: usize| {
            let (from, to) = self.part(row, part);
            (starts[row] + from, starts[row] + to)
        };
        // `whole` elements are in blocks from that of row `row` up to that of row `next`, which
        // ends later than the neighbours do.
        let (mut row, mut next, mut whole, mut most) = (first, first, 0, 0);
        while row < starts.len() {
            let (start, end) = block(row);
            let last = start.saturating_add(len);
            while next < starts.len() && block(next).1 <= last {
                whole += block(next).1 - block(next).0;
                next = self.next_row(next, ranks);
            }
            let cut = if next < starts.len() { last.saturating_sub(block(next).0) } else { 0 };
            most = max(most, whole + cut);
            if next == row {
                next = self.next_row(next, ranks);
            } else {
                whole -= end - start;
            }
            row = self.next_row(row, ranks);
        }
        most
    }

    /// The block that holds element `global`. Elements past the extent count as one more block.
    pub const fn at(&self, global: usize) -> Block {
        self.at_from_row(0, 0, global)
    }

    /// Returns the block of element `global`, searched from a row that begins at element `start`,
    /// not after `global`.
    const fn at_from_row(&self, mut row: usize, mut start: usize, global: usize) -> Block {
        let near = if self.starts.is_empty() { usize::MAX } else { row + NEAR };
        while row < self.lengths.len() {
            if row >= near {
                row = self.row_at(global, row);
                start = self.starts[row];
            }
            let len = self.lengths[row];
            if global - start < len {
                let part = (global - start) / len.div_ceil(self.parts);
                return self.block(row, part, start);
            }
            start += len;
            row += 1;
        }
        self.past_the_end(start)
    }

    /// Returns the last row from `low` on that begins no later than `global`, by the index.
    const fn row_at(&self, global: usize, mut low: usize) -> usize {
        let mut high = self.starts.len();
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.starts[middle] <= global {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    const fn block(&self, row: usize, part: usize, start: usize) -> Block {
        let (from, to) = self.part(row, part);
        Block { number: row * self.parts + part, start: start + from, len: to - from }
    }

    const fn past_the_end(&self, start: usize) -> Block {
        Block { number: self.count(), start, len: usize::MAX - start }
    }

    /// Returns the block of element `global`, searched from `block` on, which must not begin after
    /// it.
    pub const fn holding(&self, block: Block, global: usize) -> Block {
        if global < block.end() || block.number >= self.count() {
            return block;
        }
        let (row, start) = self.row_of(block);
        self.at_from_row(row, start, global)
    }

    const fn row_of(&self, block: Block) -> (usize, usize) {
        let (row, part) = (block.number / self.parts, block.number % self.parts);
        (row, block.start - self.part(row, part).0)
    }

    /// Returns the first block of a rank, empty or not; the rank is counted from that of block 0.
    pub const fn first_of(&self, relative: usize) -> Option<Block> {
        let (row, part) = self.first_row(relative);
        self.in_later_row((0, 0), row, part)
    }

    /// Returns the same rank's block in its next row, empty or not.
    pub const fn next_of_same(&self, block: Block, ranks: usize) -> Option<Block> {
        let (row, start) = self.row_of(block);
        self.in_later_row((row, start), self.next_row(row, ranks), block.number % self.parts)
    }

    const fn in_later_row(&self, from: (usize, usize), row: usize, part: usize) -> Option<Block> {
        if row >= self.lengths.len() {
            return None;
        }
        Some(self.block(row, part, self.start_of(row, from)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks, ranks and an extent give the same answers with an index.
    #[test]
    fn an_index_changes_no_answer() {
        let lengths: &[usize] = &[0, 3, 0, 9, 1, 1, 0, 4, 2, 0, 0, 7, 5, 1, 2, 2, 6, 0, 3, 8, 0];
        let extent = lengths.iter().sum::<usize>();
        for (turn, parts, ranks) in [(1, 1, 21), (1, 1, 4), (3, 1, 5), (1, 2, 6), (2, 4, 8)] {
            let scanned = GivenBlocks::new(lengths, turn, parts);
            let indexed = scanned.indexed();
            assert_eq!((indexed.starts.len(), indexed), (21, scanned));
            for from in 0..=extent {
                let block = scanned.at(from);
                assert_eq!(indexed.at(from), block);
                for to in from..extent + 3 {
                    assert_eq!(indexed.holding(block, to), scanned.holding(block, to));
                }
            }
            for relative in 0..ranks {
                for end in 0..extent + 3 {
                    let both = [scanned, indexed].map(|blocks| {
                        (blocks.below(relative, ranks, end), blocks.global(relative, ranks, end))
                    });
                    assert_eq!(both[0], both[1], "{turn} {parts} {ranks} {end}");
                }
                let (mut block, mut found) =
                    (scanned.first_of(relative), indexed.first_of(relative));
                while block.is_some() {
                    assert_eq!(block, found);
                    block = block.and_then(|block| scanned.next_of_same(block, ranks));
                    found = found.and_then(|block| indexed.next_of_same(block, ranks));
                }
                assert_eq!(found, None);
            }
        }
    }

    #[test]
    fn empty_blocks_are_numbered_and_hold_nothing() {
        let blocks = GivenBlocks::new(&[0, 3, 0, 0, 2, 0], 1, 1);
        let holding = |global| blocks.at(global);
        assert_eq!(holding(0), Block { number: 1, start: 0, len: 3 });
        assert_eq!(holding(3), Block { number: 4, start: 3, len: 2 });
        assert_eq!((holding(5).number, holding(5).end()), (6, usize::MAX));
        assert_eq!((blocks.count(), blocks.largest), (6, 3));
        assert_eq!(blocks.holding(holding(0), 5), holding(5));
    }
}
