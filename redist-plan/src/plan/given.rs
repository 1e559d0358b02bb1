use super::{Axis, Section, Side};
use crate::arithmetic::min;
use crate::layout::Block;

impl Axis {
    pub(super) const fn given_boundaries(&self, end: usize) -> usize {
        let (source, destination) = (self.side(Side::Source), self.side(Side::Destination));
        match (source.regular_block(), destination.regular_block()) {
            (Some(block), _) => boundaries_with(&destination, (&source, block), end),
            (_, Some(block)) => boundaries_with(&source, (&destination, block), end),
            (None, None) => boundaries_of(&source, &destination, end),
        }
    }

    /// Returns `true` if no element leaves its coordinate.
    pub(super) const fn given_blocks_stay(&self) -> bool {
        let (source, destination) = (self.side(Side::Source), self.side(Side::Destination));
        let (mut from, mut to) = (source.block_at(0), destination.block_at(0));
        let mut index = 0;
        while index < self.len() {
            (from, to) = (source.block_from(from, index), destination.block_from(to, index));
            if source.deal().owner_of_block(from.number)
                != destination.deal().owner_of_block(to.number)
            {
                return false;
            }
            index = min(self.end_of_stretch(&source, from), self.end_of_stretch(&destination, to));
        }
        true
    }

    const fn end_of_stretch(&self, section: &Section, block: Block) -> usize {
        if section.ranks() == 1 { self.len() } else { section.end_of(block) }
    }
}

/// Counts boundaries of given blocks and of blocks of one size in `0..end`, each once.
const fn boundaries_with(given: &Section, (regular, len): (&Section, usize), end: usize) -> usize {
    let mut boundaries = (end - 1 + regular.phase()) / len;
    let mut block = given.block_at(0);
    while given.end_of(block) < end {
        let boundary = given.end_of(block);
        boundaries += !(regular.at() + boundary).is_multiple_of(len) as usize;
        block = given.block_from(block, boundary);
    }
    boundaries
}

const fn boundaries_of(source: &Section, destination: &Section, end: usize) -> usize {
    let (mut from, mut to) = (source.block_at(0), destination.block_at(0));
    let mut boundaries = 0;
    loop {
        let boundary = min(source.end_of(from), destination.end_of(to));
        if boundary >= end {
            return boundaries;
        }
        boundaries += 1;
        (from, to) = (source.block_from(from, boundary), destination.block_from(to, boundary));
    }
}
