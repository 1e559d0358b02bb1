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
        match (level.stride, deal.len) {
            (1, 1) => run_short::<1>(transfer, level, deal, offset, message),
            (1, 2) => run_short::<2>(transfer, level, deal, offset, message),
            (1, 3) => run_short::<3>(transfer, level, deal, offset, message),
            (1, 4) => run_short::<4>(transfer, level, deal, offset, message),
            (1, 8) => run_short::<8>(transfer, level, deal, offset, message),
            _ => run_long(transfer, level, deal, offset, message),
        }
        offset += deal.len * deal.count * level.stride;
    }
}

fn run_short<const LEN: usize>(
    transfer: &mut impl Transfer,
    level: &Level,
    deal: &Deal,
    offset: usize,
    message: usize,
) {
    let mut peer = deal.peer;
    for stretch in 0..deal.count {
        transfer.constant::<LEN>(message + peer, offset + stretch * LEN);
        peer = next(peer, level);
    }
}

fn run_long(transfer: &mut impl Transfer, level: &Level, deal: &Deal, mut offset: usize, message: usize) {
    let mut peer = deal.peer;
    for _ in 0..deal.count {
        match level.stride {
            1 => transfer.contiguous(message + peer, offset, deal.len),
            stride => transfer.strided(message + peer, offset, deal.len, stride),
        }
        offset += deal.len * level.stride;
        peer = next(peer, level);
    }
}

/// The peer after `peer`; carried and compared, since a division here would cost as much as a short copy.
#[inline(always)]
fn next(peer: usize, level: &Level) -> usize {
    if peer + 1 == level.peers.len() { 0 } else { peer + 1 }
}
