//! The loop nest that packs and unpacks: one for both directions, all numbers of dimensions and all storage orders.

use super::transfer::Transfer;
use crate::program::{Deal, Level};

/// Calls `row` with the fastest level for every index tuple of the slower ones, in message order.
///
/// `offset` is where the row begins in the local array, `message` the number of the first message it belongs to.
pub(super) fn for_each_row<'a>(
    levels: &'a [Level],
    offset: usize,
    message: usize,
    row: &mut impl FnMut(&'a Level, usize, usize),
) {
    match levels {
        [] => {}
        [fastest] => row(fastest, offset + fastest.start * fastest.stride, message),
        [level, faster @ ..] => {
            let mut offset = offset + level.start * level.stride;
            for deal in level.all_deals() {
                let mut peer = deal.peer;
                for _ in 0..deal.count {
                    for _ in 0..deal.len {
                        for_each_row(faster, offset, message + peer * level.message_stride, row);
                        offset += level.stride;
                    }
                    peer = next(peer, level);
                }
            }
        }
    }
}

/// Copies the elements of `deals`, the first of which begins at `offset`.
pub(super) fn run_deals<'a>(
    transfer: &mut impl Transfer,
    level: &Level,
    deals: impl Iterator<Item = &'a Deal>,
    mut offset: usize,
    message: usize,
) {
    for deal in deals {
        let stretches = Stretches { level, deal, offset, message };
        match (level.stride, deal.len) {
            (1, 1) => stretches.run_short::<1>(transfer),
            (1, 2) => stretches.run_short::<2>(transfer),
            (1, 3) => stretches.run_short::<3>(transfer),
            (1, 4) => stretches.run_short::<4>(transfer),
            (1, 8) => stretches.run_short::<8>(transfer),
            _ => stretches.run_long(transfer),
        }
        offset += deal.len * deal.count * level.stride;
    }
}

/// A deal at its place in the local array and among the messages.
struct Stretches<'a> {
    level: &'a Level,
    deal: &'a Deal,
    offset: usize,
    message: usize,
}

/// Elements of the local array that are dealt with at a time where stretches are short: inside the first cache.
const TILE: usize = 2048;

impl Stretches<'_> {
    /// Stretches whose length the compiler knows. Inside a tile all that belongs to one message is copied before the
    /// next message's turn, so that cursors move once a tile.
    fn run_short<const LEN: usize>(&self, transfer: &mut impl Transfer) {
        let peers = self.level.peers.len();
        let rounds_in_tile = (TILE / (LEN * peers)).max(1);
        let (mut first, mut peer) = (0, self.deal.peer);
        while first < self.deal.count {
            let stretches = (self.deal.count - first).min(rounds_in_tile * peers);
            for step in 0..stretches.min(peers) {
                let rounds = (stretches - step - 1) / peers + 1;
                let at = self.offset + (first + step) * LEN;
                transfer.spaced::<LEN>(self.message + peer, at, rounds, peers * LEN);
                peer = self.next(peer);
            }
            // A whole number of rounds ends where it began.
            first += stretches;
        }
    }

    fn run_long(&self, transfer: &mut impl Transfer) {
        let (mut offset, mut peer, len) = (self.offset, self.deal.peer, self.deal.len);
        for _ in 0..self.deal.count {
            match self.level.stride {
                1 => transfer.contiguous(self.message + peer, offset, len),
                stride => transfer.strided(self.message + peer, offset, len, stride),
            }
            offset += len * self.level.stride;
            peer = self.next(peer);
        }
    }

    fn next(&self, peer: usize) -> usize {
        next(peer, self.level)
    }
}

/// The peer after `peer`; carried and compared, since a division here would cost as much as a short copy.
#[inline(always)]
fn next(peer: usize, level: &Level) -> usize {
    if peer + 1 == level.peers.len() { 0 } else { peer + 1 }
}
