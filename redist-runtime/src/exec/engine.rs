//! The loop nest that packs and unpacks: one for both directions, all numbers of dimensions and all
//! storage orders.

use super::transfer::{Spaced, Transfer};
use super::width::with_const;
use crate::program::{LoopDim, MAX_SHORT_ELEMENTS, Period, RunGroup};

/// Calls `row` with the fastest dimension for every index tuple of the slower ones, in message
/// order.
///
/// `offset` is where the row begins in the local array, `message` the number of the first message
/// it belongs to.
pub(super) fn for_each_row<'a>(
    dims: &'a [LoopDim],
    offset: usize,
    message: usize,
    row: &mut impl FnMut(&'a LoopDim, usize, usize),
) {
    match dims {
        [] => {}
        [fastest] => row(fastest, offset + fastest.start * fastest.stride, message),
        // There may be very many rows without elements.
        [_, faster @ ..] if faster.iter().any(LoopDim::is_empty) => {}
        [dim, faster @ ..] => {
            let mut offset = offset + dim.start * dim.stride;
            for group in dim.all_groups() {
                let mut peer = group.peer;
                for _ in 0..group.count {
                    for _ in 0..group.len {
                        for_each_row(faster, offset, message + peer * dim.message_stride, row);
                        offset += dim.stride;
                    }
                    peer = next(peer, dim);
                }
            }
        }
    }
}

/// Copies a whole row, which begins at `offset`.
pub(super) fn run_row(transfer: &mut impl Transfer, dim: &LoopDim, offset: usize, message: usize) {
    let Some(period) = dim.period.as_ref().filter(|_| dim.stride == 1) else {
        return run_groups(transfer, dim, dim.all_groups(), offset, message);
    };
    let together = (TILE_ELEMENTS / period.len).max(1);
    for done in (0..dim.repeats).step_by(together) {
        let periods = together.min(dim.repeats - done);
        run_periods(transfer, period, periods, offset + done * period.len, message);
    }
    let rest = offset + dim.repeats * period.len;
    run_groups(transfer, dim, dim.rest.iter(), rest, message);
}

/// Copies some periods: all of one message before the next message, so that cursors move once.
fn run_periods(
    transfer: &mut impl Transfer,
    period: &Period,
    periods: usize,
    offset: usize,
    first_message: usize,
) {
    for share in &period.shares {
        let message = first_message + share.peer;
        for run in &share.runs {
            let there = Spaced { message, at: run.in_share, spacing: share.len };
            let at = offset + run.in_period;
            let here = Spaced { message, at, spacing: period.len };
            copy_runs(transfer, run.len, there, here, periods);
        }
        transfer.skip(message, share.len * periods);
    }
}

/// Copies `count` evenly spaced runs, in pieces whose lengths the compiler knows.
fn copy_runs(
    transfer: &mut impl Transfer,
    len: usize,
    mut there: Spaced,
    mut here: Spaced,
    count: usize,
) {
    let mut left = len;
    while left > 0 {
        let piece = match left {
            16.. => 16,
            8.. => 8,
            6.. => 6,
            4.. => 4,
            _ => left,
        };
        with_const!(
            piece,
            LEN in [1 2 3 4 6 8] => transfer.spaced::<LEN>(there, here, count),
            else transfer.spaced::<16>(there, here, count)
        );
        (there.at, here.at, left) = (there.at + piece, here.at + piece, left - piece);
    }
}

/// Copies the elements of `groups`, the first of which begins at `offset`.
pub(super) fn run_groups<'a>(
    transfer: &mut impl Transfer,
    dim: &LoopDim,
    groups: impl Iterator<Item = &'a RunGroup>,
    mut offset: usize,
    message: usize,
) {
    for group in groups {
        let runs = GroupAt { dim, group, offset, message };
        let short = group.len <= MAX_SHORT_ELEMENTS && group.count > dim.peers.len();
        if dim.stride == 1 && short {
            runs.run_short(transfer)
        } else {
            runs.run_long(transfer)
        }
        offset += group.len * group.count * dim.stride;
    }
}

/// A group, with its place in the local array and among the messages.
struct GroupAt<'a> {
    dim: &'a LoopDim,
    group: &'a RunGroup,
    offset: usize,
    message: usize,
}

/// Elements of the local array that are copied together where runs are short: they fit a
/// first-level cache.
const TILE_ELEMENTS: usize = 2048;

impl GroupAt<'_> {
    /// Several rounds of peers: inside a tile, all of one message before the next message.
    fn run_short(&self, transfer: &mut impl Transfer) {
        let (peers, len) = (self.dim.peers.len(), self.group.len);
        let rounds_in_tile = (TILE_ELEMENTS / (len * peers)).max(1);
        let (mut first, mut peer) = (0, self.group.peer);
        while first < self.group.count {
            let runs = (self.group.count - first).min(rounds_in_tile * peers);
            for step in 0..runs.min(peers) {
                let (message, rounds) = (self.message + peer, (runs - step - 1) / peers + 1);
                let here = Spaced {
                    message,
                    at: self.offset + (first + step) * len,
                    spacing: peers * len,
                };
                copy_runs(transfer, len, Spaced { message, at: 0, spacing: len }, here, rounds);
                transfer.skip(message, rounds * len);
                peer = self.next(peer);
            }
            // A whole number of rounds ends with the peer that it began with.
            first += runs;
        }
    }

    fn run_long(&self, transfer: &mut impl Transfer) {
        let (mut offset, mut peer, len) = (self.offset, self.group.peer, self.group.len);
        for _ in 0..self.group.count {
            match self.dim.stride {
                1 => transfer.contiguous(self.message + peer, offset, len),
                stride => transfer.strided(self.message + peer, offset, len, stride),
            }
            offset += len * self.dim.stride;
            peer = self.next(peer);
        }
    }

    fn next(&self, peer: usize) -> usize {
        next(peer, self.dim)
    }
}

/// The peer after `peer`, by a comparison: a division would cost as much as a short copy.
#[inline(always)]
pub(super) fn next(peer: usize, dim: &LoopDim) -> usize {
    if peer + 1 == dim.peers.len() { 0 } else { peer + 1 }
}
