//! Unpacking one message at a time, as messages arrive.

use super::engine::{copy_stretches, run_share};
use super::kernels::{Row, Unpack};
use super::transfer::{Spaced, Transfer, Unpacker};
use super::width::Width;
use crate::program::{ByPeer, Level, Program};
use core::slice;

/// A program's levels sorted by peer.
pub(super) struct Arrival {
    levels: Vec<ByPeer>,
    /// For each message the peer along each level.
    peers: Vec<Vec<usize>>,
}

/// What stays the same while a message is unpacked.
struct Walk<'a, W> {
    width: W,
    row: &'a Row<Unpack>,
    levels: &'a [Level],
    sorted: &'a [ByPeer],
    peers: &'a [usize],
}

impl Arrival {
    pub(super) fn of(program: &Program) -> Self {
        let peer = |message: usize, level: &Level| message / level.message_stride % level.peers.len();
        let peers = |message| program.levels.iter().map(|level| peer(message, level)).collect();
        Self {
            levels: program.levels.iter().map(ByPeer::of).collect(),
            peers: (0..program.envelopes().len()).map(peers).collect(),
        }
    }

    /// Unpacks message number `message`, whose elements are `data`, by a loop nest over `levels`: the program's, or those
    /// that the rows are not part of.
    pub(super) fn unpack(
        &self,
        levels: &[Level],
        row: &Row<Unpack>,
        local: &mut [u8],
        message: usize,
        mut data: &[u8],
        width: impl Width,
    ) {
        let walk = Walk { row, levels, sorted: &self.levels, peers: &self.peers[message], width };
        walk.run(local, &mut data, 0, 0);
    }
}

impl<W: Width> Walk<'_, W> {
    /// The loop nest over the stretches of the message, from this level on; the mirror of the nest over all of them.
    fn run(&self, local: &mut [u8], data: &mut &[u8], depth: usize, offset: usize) {
        let (level, sorted, peer) = (&self.levels[depth], &self.sorted[depth], self.peers[depth]);
        let offset = offset + level.start * level.stride;
        if depth + 1 == self.levels.len() {
            if !self.row.unpack_one(level, &mut local[offset * self.width.bytes()..], peer, data) {
                let mut unpacker = Unpacker { local, messages: slice::from_mut(data), width: self.width };
                row(&mut unpacker, level, sorted, peer, offset);
            }
            return;
        }
        for stretch in sorted.stretches(peer) {
            for step in 0..stretch.count {
                for element in 0..stretch.len {
                    let index = stretch.start + step * stretch.spacing + element;
                    self.run(local, data, depth + 1, offset + index * level.stride);
                }
            }
        }
    }
}

/// What one row holds of the message.
fn row(transfer: &mut impl Transfer, level: &Level, by_peer: &ByPeer, peer: usize, offset: usize) {
    let sorted = level.period.as_ref().filter(|_| level.stride == 1);
    if let Some(period) = sorted {
        run_share(transfer, level, period, peer, offset);
        let rest = by_peer.stretches(peer).filter(|stretch| stretch.start >= period.len * level.repeats);
        return rest.for_each(|stretch| {
            copy(transfer, level, stretch.len, stretch.count, offset + stretch.start, stretch.spacing)
        });
    }
    for stretch in by_peer.stretches(peer) {
        copy(transfer, level, stretch.len, stretch.count, offset + stretch.start * level.stride, stretch.spacing);
    }
}

/// Elements of a stretch up to which copies of constant lengths beat calls of `memcpy`.
const SHORT: usize = 16;

fn copy(transfer: &mut impl Transfer, level: &Level, len: usize, count: usize, at: usize, spacing: usize) {
    if level.stride == 1 && len <= SHORT && count > 1 {
        let (message, here) = (Spaced { message: 0, at: 0, spacing: len }, Spaced { message: 0, at, spacing });
        copy_stretches(transfer, len, message, here, count);
        return transfer.skip(0, len * count);
    }
    for step in 0..count {
        match level.stride {
            1 => transfer.contiguous(0, at + step * spacing, len),
            stride => transfer.strided(0, at + step * spacing * stride, len, stride),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::exec::{Redistribution, RuntimePlan, Unpacking};
    use crate::plan::Side;

    /// What every source rank sends to `to`, by source rank.
    fn messages<const D: usize>(plan: &RuntimePlan<u32, D>, to: usize) -> Vec<Vec<u32>> {
        let mut received = Vec::new();
        for rank in 0..plan.plan().ranks() {
            let packing = plan.packing(rank);
            let local: Vec<u32> = (0..packing.local_len()).map(|index| (rank * 10_000 + index) as u32).collect();
            let mut messages: Vec<Vec<u32>> = packing.envelopes().iter().map(|to| vec![0; to.len]).collect();
            let mut slices: Vec<&mut [u32]> = messages.iter_mut().map(Vec::as_mut_slice).collect();
            packing.pack(&local, &mut slices);
            let sent = packing.envelopes().iter().zip(messages).filter(|(envelope, _)| envelope.rank == to);
            received.extend(sent.map(|(_, message)| (rank, message)));
        }
        received.sort();
        received.into_iter().map(|(_, message)| message).collect()
    }

    fn check<const D: usize>(extents: [usize; D], from: &str, to: &str) {
        let plan = RuntimePlan::<u32, D>::parse(extents, from, to).unwrap();
        for rank in 0..plan.plan().ranks() {
            let unpacking: Unpacking<u32> = plan.unpacking(rank);
            let by_source = messages(&plan, rank);
            let mut order: Vec<usize> = (0..unpacking.envelopes().len()).collect();
            order.sort_by_key(|&message| unpacking.envelopes()[message].rank);
            let data = |message: usize| &by_source[order.iter().position(|&m| m == message).unwrap()][..];
            let all: Vec<&[u32]> = (0..order.len()).map(data).collect();
            let (mut expected, mut found) = (vec![7; unpacking.local_len()], vec![7; unpacking.local_len()]);
            unpacking.unpack(&mut expected, &all);
            for message in (0..order.len()).rev() {
                unpacking.unpack_message(&mut found, message, data(message));
            }
            assert_eq!(found, expected, "{from} -> {to}, {} {rank}", Side::Destination);
        }
    }

    #[test]
    fn messages_may_arrive_in_any_order() {
        check([1003], "cyclic(10) onto 3", "cyclic(2) onto 3");
        check([1003], "cyclic(2) onto 3", "cyclic(10) onto 2");
        check([1003], "cyclic(40) onto 3", "cyclic(60) onto 5 first 2");
        check([777], "block onto 4", "cyclic onto 3");
        check([777], "cyclic onto 3", "block onto 4");
        check([60, 70], "(cyclic(3), cyclic(2)) onto (2, 3)", "(cyclic(5), block) onto (3, 2) transposed");
        check([9, 14, 5], "(block, *, cyclic) onto (2, 2) storage fortran", "(*, cyclic(3), cyclic(2)) onto (2, 2)");
        check(
            [50, 20],
            "(cyclic(16), cyclic(16)) onto (2, 2) of [128, 64] at [37, 5]",
            "(cyclic(7), block) onto (2, 2)",
        );
    }
}
