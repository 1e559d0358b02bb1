//! The loop nest that packs and unpacks: one for both directions, all numbers of dimensions and all storage orders.

use super::transfer::{Spaced, Transfer};
use crate::program::{Deal, Level, Period, Share};

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

/// Copies a whole row, which begins at `offset`.
pub(super) fn run_row(transfer: &mut impl Transfer, level: &Level, offset: usize, message: usize) {
    let Some(period) = level.period.as_ref().filter(|_| level.stride == 1) else {
        return run_deals(transfer, level, level.all_deals(), offset, message);
    };
    let together = (TILE / period.len).max(1);
    let mut done = 0;
    while done < level.repeats {
        let periods = together.min(level.repeats - done);
        run_periods(transfer, period, periods, offset + done * period.len, message);
        done += periods;
    }
    run_deals(transfer, level, level.rest.iter(), offset + done * period.len, message);
}

/// Copies what one message, the only one at hand, has of the whole periods of a row.
pub(super) fn run_share(transfer: &mut impl Transfer, level: &Level, period: &Period, peer: usize, offset: usize) {
    let Some(share) = period.shares.iter().find(|share| share.peer == peer) else { return };
    let together = (TILE / period.len).max(1);
    let mut done = 0;
    while done < level.repeats {
        let periods = together.min(level.repeats - done);
        run_share_of_periods(transfer, period, share, periods, offset + done * period.len, 0);
        done += periods;
    }
}

/// Copies some periods: all that belongs to one message before the next message's turn, so that cursors move once.
fn run_periods(transfer: &mut impl Transfer, period: &Period, periods: usize, offset: usize, first_message: usize) {
    for share in &period.shares {
        run_share_of_periods(transfer, period, share, periods, offset, first_message + share.peer);
    }
}

fn run_share_of_periods(
    transfer: &mut impl Transfer,
    period: &Period,
    share: &Share,
    periods: usize,
    offset: usize,
    message: usize,
) {
    for stretch in &share.stretches {
        let there = Spaced { message, at: stretch.in_share, spacing: share.len };
        let here = Spaced { message, at: offset + stretch.in_period, spacing: period.len };
        copy_stretches(transfer, stretch.len, there, here, periods);
    }
    transfer.skip(message, share.len * periods);
}

/// Copies `count` evenly spaced stretches, in pieces whose lengths the compiler knows.
pub(super) fn copy_stretches(
    transfer: &mut impl Transfer,
    len: usize,
    mut there: Spaced,
    mut here: Spaced,
    count: usize,
) {
    let mut left = len;
    while left > 0 {
        let copied = match left {
            16.. => copy_pieces::<16>(transfer, there, here, count),
            8.. => copy_pieces::<8>(transfer, there, here, count),
            6.. => copy_pieces::<6>(transfer, there, here, count),
            4.. => copy_pieces::<4>(transfer, there, here, count),
            3 => copy_pieces::<3>(transfer, there, here, count),
            2 => copy_pieces::<2>(transfer, there, here, count),
            _ => copy_pieces::<1>(transfer, there, here, count),
        };
        (there.at, here.at, left) = (there.at + copied, here.at + copied, left - copied);
    }
}

fn copy_pieces<const LEN: usize>(transfer: &mut impl Transfer, there: Spaced, here: Spaced, count: usize) -> usize {
    transfer.lattice::<LEN>(there, here, count);
    LEN
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
        let short = deal.len <= SHORT && deal.count > level.peers.len();
        if level.stride == 1 && short {
            stretches.run_short(transfer)
        } else {
            stretches.run_long(transfer)
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

/// Elements of a stretch up to which copies of constant lengths beat calls of `memcpy`.
const SHORT: usize = 16;

impl Stretches<'_> {
    /// Several rounds of peers: inside a tile, all that belongs to one message before the next message's turn.
    fn run_short(&self, transfer: &mut impl Transfer) {
        let (peers, len) = (self.level.peers.len(), self.deal.len);
        let rounds_in_tile = (TILE / (len * peers)).max(1);
        let (mut first, mut peer) = (0, self.deal.peer);
        while first < self.deal.count {
            let stretches = (self.deal.count - first).min(rounds_in_tile * peers);
            for step in 0..stretches.min(peers) {
                let (message, rounds) = (self.message + peer, (stretches - step - 1) / peers + 1);
                let here = Spaced { message, at: self.offset + (first + step) * len, spacing: peers * len };
                copy_stretches(transfer, len, Spaced { message, at: 0, spacing: len }, here, rounds);
                transfer.skip(message, rounds * len);
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
