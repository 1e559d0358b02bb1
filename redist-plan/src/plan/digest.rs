use super::{Axis, Plan, Side};
use crate::layout::{MAX_EXTENT, MAX_RANKS, Ranks};
use core::fmt;

/// Grows when the order of messages or the numbers below change.
pub(super) const FORMAT: u64 = 1;

/// Stands for the first rank if a map follows.
pub(super) const MAP_FOLLOWS: usize = MAX_RANKS;

/// Stands for a block if rows follow, after their turn and points.
pub(super) const ROWS_FOLLOW: usize = MAX_EXTENT + 1;

/// FNV-1a over the numbers of a plan as little-endian 64-bit words.
///
/// Plans of one digest move the same elements between the same places in the same order, but for a
/// collision. `block` and the `cyclic(b)` that it amounts to have one digest; a `gen_block` has
/// another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest(pub u64);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Digest {
    const EMPTY: Digest = Digest(0xcbf2_9ce4_8422_2325);

    const fn word(self, word: usize) -> Self {
        let (mut state, mut rest) = (self.0, word as u64);
        let mut byte = 0;
        while byte < 8 {
            state = (state ^ (rest & 0xff)).wrapping_mul(0x0000_0100_0000_01b3);
            rest >>= 8;
            byte += 1;
        }
        Digest(state)
    }

    const fn ranks(self, ranks: Ranks) -> Self {
        match ranks {
            Ranks::From(first) => self.word(first),
            Ranks::Map(list) => {
                let mut digest = self.word(MAP_FOLLOWS);
                let mut number = 0;
                while number < list.len() {
                    digest = digest.word(list[number]);
                    number += 1;
                }
                digest
            }
        }
    }

    const fn axis(self, axis: &Axis) -> Self {
        self.word(axis.len()).side(axis, Side::Source).side(axis, Side::Destination)
    }

    const fn side(self, axis: &Axis, side: Side) -> Self {
        let section = axis.side(side);
        let deal = section.deal();
        let (sizes, block): (&[usize], usize) = match deal.given_sizes() {
            // No block of one size has 0 elements, so 0 says that as many sizes follow as there are
            // ranks.
            Some(sizes) => (sizes, 0),
            None => match deal.given_rows() {
                Some((lengths, _, _)) => (lengths, ROWS_FOLLOW),
                None => (&[], deal.block()),
            },
        };
        let mut digest = self
            .word(deal.extent())
            .word(block)
            .word(deal.ranks())
            .word(deal.first())
            .word(section.at());
        if let Some((lengths, turn, points)) = deal.given_rows() {
            digest = digest.word(lengths.len()).word(turn).word(points);
        }
        let mut number = 0;
        while number < sizes.len() {
            digest = digest.word(sizes[number]);
            number += 1;
        }
        digest
    }
}

impl<const D: usize> Plan<D> {
    /// Hashes the numbers of the plan.
    #[doc(hidden)]
    pub const fn digest(&self) -> Digest {
        let mut digest = Digest::EMPTY.word(FORMAT as usize).word(D);
        let mut dimension = 0;
        while dimension < D {
            digest = digest.axis(&self.axis(dimension)).word(self.destination_axis(dimension));
            dimension += 1;
        }
        let mut side = Side::Source;
        let mut sides = 0;
        while sides < 2 {
            let layout = self.descriptor(side).layout();
            digest = digest
                .ranks(layout.ranks)
                .word(layout.order as usize)
                .word(layout.storage as usize);
            side = side.other();
            sides += 1;
        }
        digest
    }
}
