use super::Effort;
use crate::plan::Section;

pub(super) struct SeenRanks {
    bits: [u64; WORDS],
    count: usize,
}

const WORDS: usize = 1 << 10;

impl SeenRanks {
    /// One more than the largest rank that fits.
    pub const LIMIT: usize = WORDS * 64;

    pub const NONE: Self = Self { bits: [0; WORDS], count: 0 };

    pub const fn count(&self) -> usize {
        self.count
    }

    pub const fn add_owners(
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
