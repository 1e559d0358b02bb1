//! Counts the ranks of the other side with which a rank exchanges elements along a dimension. Over
//! a whole period there is a closed form; else one rank of each kind is counted.

use super::residues::Residues;
use super::{Effort, Figure};
use crate::arithmetic::{gcd, max, min};
use crate::plan::{Axis, Section, Side};

impl Axis {
    /// Returns the most partners of a coordinate of `side` in this dimension; an
    /// upper bound once the effort is spent.
    pub const fn most_partners(&self, side: Side, effort: &mut Effort) -> Figure {
        if self.is_empty() {
            return Figure::exact(0);
        }
        if let Some(residues) = Residues::of_period(self, side) {
            return Figure::exact(residues.most());
        }
        if let Some(most) = self.most_partners_of_blocks(side, effort) {
            return most;
        }
        let (kinds, bound) = (Kinds::of(self, side), self.most_partners_bound(side));
        let (mut most, mut next) = (0, Some(0));
        while let Some(number) = next
            && most < bound
        {
            let coordinate = kinds.coordinate(&self.side(side), number);
            match self.partners(side, coordinate, effort) {
                Some(found) => most = max(most, found),
                None => return Figure::bound(bound),
            }
            next = kinds.after(number);
        }
        Figure::exact(most)
    }

    pub(super) const fn partners(
        &self,
        side: Side,
        coordinate: usize,
        effort: &mut Effort,
    ) -> Option<usize> {
        let (own, other) = (self.side(side), self.side(side.other()));
        if let Some(residues) = Residues::of_period(self, side) {
            let block = own.deal().relative(coordinate);
            return if effort.spend(1) { Some(residues.partners(block)) } else { None };
        }
        if self.has_lone_blocks(side) {
            let found = match own.next_owned(coordinate, 0) {
                Some(first) if first < self.len() => self.partners_of_block(side, first),
                _ => 0,
            };
            return if effort.spend(1) { Some(found) } else { None };
        }
        if other.ranks() > SeenRanks::LIMIT {
            return None;
        }
        let (mut seen, mut index) = (SeenRanks::NONE, 0);
        while let Some(first) = own.next_owned(coordinate, index)
            && first < self.len()
            && seen.count < other.ranks()
        {
            index = min(own.block_end(first), self.len());
            if !effort.spend(cost(&own)) || !seen.add_owners(&other, (first, index), effort) {
                return None;
            }
        }
        Some(seen.count)
    }

    /// Returns `true` if a side is a `block balanced`, ranks of `side` have one block each, and no
    /// sizes are listed.
    const fn has_lone_blocks(&self, side: Side) -> bool {
        let is_balanced = self.regular_blocks().is_none() && self.stretch(0).is_some();
        is_balanced && self.side(side).deal().has_one_block_each()
    }

    /// Counts the partners of the rank whose only block holds element `index`.
    const fn partners_of_block(&self, side: Side, index: usize) -> usize {
        let (own, other) = (self.side(side), self.side(side.other()));
        let block = own.block_at(index);
        let first = block.start.saturating_sub(own.at());
        let last = min(own.end_of(block), self.len()) - 1;
        min(other.block_of(last) - other.block_of(first) + 1, other.ranks())
    }

    /// Returns the most partners of a rank, where ranks have one block each: the most in a stretch
    /// of equal blocks, or of a block that is in two stretches.
    const fn most_partners_of_blocks(&self, side: Side, effort: &mut Effort) -> Option<Figure> {
        if !self.has_lone_blocks(side) {
            return None;
        }
        let (mut most, mut index) = (Figure::exact(0), 0);
        while index < self.len()
            && let Some(part) = self.stretch(index)
        {
            let found = part.most_partners(side, effort);
            let cut = max(found.value, self.partners_of_block(side, index));
            let value = max(most.value, max(cut, found.value));
            most = Figure { value, is_exact: most.is_exact && found.is_exact };
            index += part.len();
        }
        Some(most)
    }

    const fn most_partners_bound(&self, side: Side) -> usize {
        let (own, other) = (self.side(side), self.side(side.other()));
        let holders = min(other.ranks(), self.blocks_of(&other));
        let (Some(s), Some(t), Some(residues)) =
            (own.regular_block(), other.regular_block(), Residues::of(self, side))
        else {
            return holders;
        };
        // Blocks begin this far into the other side's, at most.
        let common = gcd(s, t);
        let apart = (other.at() % common + common - own.at() % common) % common;
        let phase = t - common + apart;
        let rounds = self.blocks_of(&own).div_ceil(own.ranks());
        let of_each = rounds.saturating_mul(blocks_touched(s, t, phase));
        let stride = s.saturating_mul(own.ranks());
        let together = (rounds - 1).saturating_mul(stride).saturating_add(s);
        let of_all = blocks_touched(together, t, phase);
        min(min(holders, residues.most()), min(of_each, of_all))
    }

    const fn blocks_of(&self, section: &Section) -> usize {
        section.block_of(self.len() - 1) - section.block_of(0) + 1
    }
}

/// Counts the blocks of some neighbours, which begin `phase` elements into one.
const fn blocks_touched(elements: usize, block: usize, phase: usize) -> usize {
    ((elements as u128 - 1 + phase as u128) / block as u128 + 1) as usize
}

/// One rank of each kind along a dimension, numbered from the rank with the first block on. A
/// rank's partners depend on its number of blocks, and on their place within the other side's
/// block, which repeats. The first and the last block may be cut.
struct Kinds {
    /// Number of the first block that holds an element of the section.
    block: usize,
    /// Ranks after which blocks begin in the same places.
    repeat: usize,
    /// Ranks with one block more than the other ranks; the last of all ranks is such a rank.
    longer: usize,
    /// Ranks that hold elements.
    ranks: usize,
}

impl Kinds {
    const fn of(axis: &Axis, side: Side) -> Self {
        let (own, blocks) = (axis.side(side), axis.blocks_of(&axis.side(side)));
        let is_regular = own.regular_block().is_some();
        let ranks = if is_regular { min(own.ranks(), blocks) } else { own.ranks() };
        let repeat = match axis.regular_blocks() {
            Some((s, t)) => match side {
                Side::Source => t / gcd(s, t),
                Side::Destination => s / gcd(s, t),
            },
            None => ranks,
        };
        let longer = (blocks - 1) % own.ranks() + 1;
        Self { block: own.block_of(0), repeat, longer, ranks }
    }

    /// Returns the coordinate of a number; any for given blocks.
    const fn coordinate(&self, own: &Section, number: usize) -> usize {
        match own.regular_block() {
            Some(_) => own.deal().owner_of_block(self.block + number),
            None => number,
        }
    }

    const fn after(&self, number: usize) -> Option<usize> {
        let next = number + 1;
        let next = if next > self.repeat { max(next, self.longer - 1) } else { next };
        // `repeat` ranks after the longer ones begin where others did.
        let end = min(self.ranks, self.longer.saturating_add(self.repeat));
        if next < end { Some(next) } else { None }
    }
}

/// A set of ranks along a dimension.
struct SeenRanks {
    /// A bit for each rank.
    bits: [u64; WORDS],
    /// Ranks in the set.
    count: usize,
}

/// Words of 64 bits in the set.
const WORDS: usize = 1 << 10;

impl SeenRanks {
    /// One more than the largest rank that fits.
    const LIMIT: usize = WORDS * 64;

    const NONE: Self = Self { bits: [0; WORDS], count: 0 };

    const fn add_owners(
        &mut self,
        section: &Section,
        (from, to): (usize, usize),
        effort: &mut Effort,
    ) -> bool {
        let mut block = section.block_at(from);
        let last = section.block_of(to - 1);
        if section.regular_block().is_some() && last - block.number >= section.ranks() {
            self.count = section.ranks();
            return effort.spend(1);
        }
        while block.number < last {
            if !self.add(section, block.number, effort) {
                return false;
            }
            block = section.deal().block_after(block);
        }
        self.add(section, last, effort)
    }

    const fn add(&mut self, section: &Section, block: usize, effort: &mut Effort) -> bool {
        let rank = section.deal().owner_of_block(block);
        let (word, bit) = (rank / 64, 1 << (rank % 64));
        if self.bits[word] & bit == 0 {
            self.bits[word] |= bit;
            self.count += 1;
        }
        effort.spend(cost(section))
    }
}

pub(super) const fn cost(section: &Section) -> usize {
    match section.deal().given_blocks() {
        Some(blocks) => 1 + blocks / 8,
        None => 1,
    }
}
