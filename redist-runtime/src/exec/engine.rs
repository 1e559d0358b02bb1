//! The loop nest that packs and unpacks, for all numbers of dimensions and all storage orders.

use crate::program::{LoopDim, MAX_SHORT_ELEMENTS, Period, RunGroup, Spacing, StridedCopy};

/// Calls `row` with the fastest dimension for each index tuple of the slower ones, in message
/// order. `offset` is the row's start in the local array, `message` its first message.
pub(super) fn for_each_row<'a>(
    dims: &'a [LoopDim],
    offset: usize,
    message: usize,
    row: &mut impl FnMut(&'a LoopDim, usize, usize),
) {
    match dims {
        [] => {}
        [fastest] => row(fastest, offset + fastest.start * fastest.stride, message),
        // Return early, because there may be very many rows without elements.
        [_, faster @ ..] if faster.iter().any(LoopDim::is_empty) => {}
        [dim, faster @ ..] => {
            let mut offset = offset + dim.start * dim.stride;
            for_each_run(dim, dim.all_groups(), &mut |peer, len| {
                for _ in 0..len {
                    for_each_row(faster, offset, message + peer * dim.message_stride, row);
                    offset += dim.stride;
                }
            });
        }
    }
}

#[inline(always)]
pub(super) fn for_each_run<'a>(
    dim: &LoopDim,
    groups: impl Iterator<Item = &'a RunGroup>,
    run: &mut impl FnMut(usize, usize),
) {
    for group in groups {
        let mut peer = group.peer;
        for _ in 0..group.count {
            run(peer, group.len);
            peer = next(peer, dim);
        }
    }
}

const TILE_ELEMENTS: usize = 2048;

/// Walks a row. `copy` receives a message's number, runs as if the message were their source, and the
/// elements of it that are used up then.
pub(super) fn run_row(
    copy: &mut impl FnMut(usize, StridedCopy, usize),
    dim: &LoopDim,
    offset: usize,
    message: usize,
) {
    let Some(period) = dim.period.as_ref().filter(|_| dim.stride == 1) else {
        return run_groups(copy, dim, dim.all_groups(), offset, message);
    };
    let together = (TILE_ELEMENTS / period.len).max(1);
    for done in (0..dim.repeats).step_by(together) {
        let periods = together.min(dim.repeats - done);
        run_periods(copy, period, periods, offset + done * period.len, message);
    }
    let rest = offset + dim.repeats * period.len;
    run_groups(copy, dim, dim.rest.iter(), rest, message);
}

fn run_periods(
    copy: &mut impl FnMut(usize, StridedCopy, usize),
    period: &Period,
    periods: usize,
    offset: usize,
    first_message: usize,
) {
    for share in &period.shares {
        let message = first_message + share.peer;
        let inner = Spacing { count: periods, source: share.len, destination: period.len };
        for (number, run) in (1..).zip(&share.runs) {
            let used = if number == share.runs.len() { share.len * periods } else { 0 };
            let first = StridedCopy::run(run.in_share, offset + run.in_period, run.len);
            copy(message, StridedCopy { inner, ..first }, used);
        }
    }
}

fn run_groups<'a>(
    copy: &mut impl FnMut(usize, StridedCopy, usize),
    dim: &LoopDim,
    groups: impl Iterator<Item = &'a RunGroup>,
    mut offset: usize,
    message: usize,
) {
    for group in groups {
        let short = group.len <= MAX_SHORT_ELEMENTS && group.count > dim.peers.len();
        if dim.stride == 1 && short {
            run_short(copy, dim, group, (offset, message));
            offset += group.len * group.count;
            continue;
        }
        for_each_run(dim, [group].into_iter(), &mut |peer, len| {
            copy(message + peer, StridedCopy::evenly(offset, len, dim.stride), len);
            offset += len * dim.stride;
        });
    }
}

/// Copies several rounds of peers: inside a tile, message by message.
fn run_short(
    copy: &mut impl FnMut(usize, StridedCopy, usize),
    dim: &LoopDim,
    group: &RunGroup,
    (offset, message): (usize, usize),
) {
    let (peers, len) = (dim.peers.len(), group.len);
    let rounds_in_tile = (TILE_ELEMENTS / (len * peers)).max(1);
    let (mut first, mut peer) = (0, group.peer);
    while first < group.count {
        let runs = (group.count - first).min(rounds_in_tile * peers);
        for step in 0..runs.min(peers) {
            let count = (runs - step - 1) / peers + 1;
            let inner = Spacing { count, source: len, destination: peers * len };
            let run = StridedCopy::run(0, offset + (first + step) * len, len);
            copy(message + peer, StridedCopy { inner, ..run }, count * len);
            peer = next(peer, dim);
        }
        // A whole number of rounds ends with the peer that began it.
        first += runs;
    }
}

/// Returns the next peer by a comparison, because a division costs as much as a short copy.
#[inline(always)]
fn next(peer: usize, dim: &LoopDim) -> usize {
    if peer + 1 == dim.peers.len() { 0 } else { peer + 1 }
}
