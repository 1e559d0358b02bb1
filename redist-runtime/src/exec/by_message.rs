//! Packing and unpacking one message at a time: as steps come, and as messages arrive.

use super::calls::CopiedBytes;
use super::direct::copy_strided;
use super::kernels::{FromMessages, RowKernel, ToMessages};
use crate::program::{ByPeer, LoopDim, MessageLoops, Program, StridedCopy};
use core::ops::Range;

/// A program sorted by message.
pub(super) struct ByMessage {
    /// Where the local array begins in its memory.
    first: usize,
    dims: Vec<ByPeer>,
    /// For each message, the peer along each dimension.
    peers: Vec<Vec<usize>>,
    loops: Vec<MessageLoops>,
}

/// Elements of a message that are unpacked together: what they are copied to fits a first-level
/// cache where few messages share its lines.
const TILE_ELEMENTS: usize = 2048;

/// What stays the same while a message is copied row by row.
struct RowWalk<'a> {
    dims: &'a [LoopDim],
    sorted: &'a [ByPeer],
    peers: &'a [usize],
}

impl ByMessage {
    pub(super) fn of(program: &Program) -> Self {
        let peer = |message: usize, dim: &LoopDim| message / dim.message_stride % dim.peers.len();
        let peers = |message| program.dims.iter().map(|dim| peer(message, dim)).collect();
        Self {
            first: program.first,
            dims: program.dims.iter().map(ByPeer::of).collect(),
            peers: (0..program.envelopes().len()).map(peers).collect(),
            loops: program.message_loops(),
        }
    }

    fn walk<'a>(&'a self, dims: &'a [LoopDim], message: usize) -> RowWalk<'a> {
        RowWalk { dims, sorted: &self.dims, peers: &self.peers[message] }
    }

    /// Packs message number `message`, whose bytes are `to`; as [`unpack`](Self::unpack).
    pub(super) fn pack(
        &self,
        dims: &[LoopDim],
        row: &RowKernel<ToMessages>,
        local: &[u8],
        message: usize,
        mut to: &mut [u8],
        width: usize,
    ) -> CopiedBytes {
        let mut copied = CopiedBytes::default();
        if row.copies() {
            self.walk(dims, message).run(0, self.first, &mut |dim, offset, peer| {
                row.pack_one(dim, &local[offset * width..], peer, &mut to, &mut copied);
            });
            return copied;
        }
        copied.walked = to.len();
        self.for_each_tile(message, |elements, strided| {
            let to = &mut to[elements.start * width..elements.end * width];
            copy_strided(local, to, strided, width);
        });
        copied
    }

    /// Unpacks message number `message`, whose elements are the `data`: row by row where a kernel
    /// copies those of `dims`, and by the message's own loops otherwise.
    pub(super) fn unpack(
        &self,
        dims: &[LoopDim],
        row: &RowKernel<FromMessages>,
        local: &mut [u8],
        message: usize,
        mut data: &[u8],
        width: usize,
    ) -> CopiedBytes {
        let mut copied = CopiedBytes::default();
        if row.copies() {
            self.walk(dims, message).run(0, self.first, &mut |dim, offset, peer| {
                let local = &mut local[offset * width..];
                row.unpack_one(dim, local, peer, &mut data, &mut copied);
            });
            return copied;
        }
        copied.walked = data.len();
        self.for_each_tile(message, |elements, strided| {
            let from = &data[elements.start * width..elements.end * width];
            copy_strided(from, local, strided.reversed(), width);
        });
        copied
    }

    /// The copies of a message, a tile of its elements after the other: from the local array, or, turned
    /// round, to it; the tile begins where the copies' other side does.
    pub(super) fn for_each_tile(
        &self,
        message: usize,
        mut copy: impl FnMut(&Range<usize>, StridedCopy),
    ) {
        let loops = &self.loops[message];
        let len = loops.message_len();
        for start in (0..len).step_by(TILE_ELEMENTS) {
            let elements = start..len.min(start + TILE_ELEMENTS);
            loops.for_each(elements.clone(), &mut |strided| copy(&elements, strided));
        }
    }
}

impl RowWalk<'_> {
    /// The loop nest over the message's runs of this dimension and the faster ones; `row` copies the
    /// fastest, which begins at some offset, for one of its peers.
    fn run(&self, depth: usize, offset: usize, row: &mut impl FnMut(&LoopDim, usize, usize)) {
        let (dim, sorted, peer) = (&self.dims[depth], &self.sorted[depth], self.peers[depth]);
        let offset = offset + dim.start * dim.stride;
        if depth + 1 == self.dims.len() {
            return row(dim, offset, peer);
        }
        for run in sorted.runs(peer) {
            for step in 0..run.count {
                for element in 0..run.len {
                    let index = run.start + step * run.spacing + element;
                    self.run(depth + 1, offset + index * dim.stride, row);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::exec::kernels::Allowed;
    use crate::exec::rank::RankPacking;
    use crate::exec::{Redistribution, RuntimePlan, Unpacking};
    use crate::plan::{AnyPlan, Plan, Side};
    use crate::program::Program;

    /// What every source rank sends to `to`, by source rank.
    fn messages<const D: usize>(plan: &RuntimePlan<u32, D>, to: usize) -> Vec<Vec<u32>> {
        let mut received = Vec::new();
        for rank in 0..plan.plan().ranks() {
            let packing = plan.packing(rank);
            let local: Vec<u32> =
                (0..packing.local_len()).map(|index| (rank * 10_000 + index) as u32).collect();
            let mut messages: Vec<Vec<u32>> =
                packing.envelopes().iter().map(|to| vec![0; to.len]).collect();
            let mut slices: Vec<&mut [u32]> = messages.iter_mut().map(Vec::as_mut_slice).collect();
            packing.pack(&local, &mut slices);
            let sent = packing
                .envelopes()
                .iter()
                .zip(messages)
                .filter(|(envelope, _)| envelope.rank == to);
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
            let data =
                |message: usize| &by_source[order.iter().position(|&m| m == message).unwrap()][..];
            let all: Vec<&[u32]> = (0..order.len()).map(data).collect();
            let (mut expected, mut found) =
                (vec![7; unpacking.local_len()], vec![7; unpacking.local_len()]);
            unpacking.unpack(&mut expected, &all);
            for message in (0..order.len()).rev() {
                unpacking.unpack_message(&mut found, message, data(message));
            }
            assert_eq!(found, expected, "{from} -> {to}, {} {rank}", Side::Destination);
        }
    }

    /// Messages that are packed one by one are those that are packed together.
    fn packs_alike<const D: usize>(extents: [usize; D], from: &str, to: &str) {
        let plan = AnyPlan::from(Plan::parse(extents, from, to).unwrap());
        for (rank, width) in
            (0..plan.ranks()).flat_map(|rank| [1, 4, 12].map(|width| (rank, width)))
        {
            let allowed = Allowed::up_to(None, None);
            let program = Program::new(&plan, &[], Side::Source, rank);
            let packing = RankPacking::new(program, &[], (width, allowed));
            let bytes = packing.local_len() * width;
            let local: Vec<u8> = (0..bytes).map(|at| (at * 7 + at / 251) as u8).collect();
            let empty = |len: usize| vec![0; len * width];
            let mut together: Vec<Vec<u8>> =
                packing.envelopes().iter().map(|to| empty(to.len)).collect();
            let mut slices: Vec<&mut [u8]> = together.iter_mut().map(Vec::as_mut_slice).collect();
            packing.pack(&local, &mut slices);
            for (number, expected) in together.iter().enumerate().rev() {
                let mut alone = vec![0; expected.len()];
                packing.pack_message(&local, number, &mut alone);
                assert!(alone == *expected, "{from} -> {to}, rank {rank}, {width} bytes, {number}");
            }
        }
    }

    #[test]
    fn messages_may_be_packed_in_any_order() {
        packs_alike([1003], "cyclic(10) onto 3", "cyclic(2) onto 3");
        packs_alike([1003], "cyclic(40) onto 3", "cyclic(60) onto 5 first 2");
        packs_alike([777], "block onto 4", "cyclic onto 3");
        packs_alike([9777], "cyclic(300) onto 3", "block onto 4");
        let to = "(cyclic(5), block) onto (3, 2) transposed";
        packs_alike([60, 70], "(cyclic(3), cyclic(2)) onto (2, 3)", to);
        let from = "(block, *, cyclic) onto (2, 2) storage fortran";
        packs_alike([9, 14, 5], from, "(*, cyclic(3), cyclic(2)) onto (2, 2)");
    }

    #[test]
    fn messages_may_arrive_in_any_order() {
        check([1003], "cyclic(10) onto 3", "cyclic(2) onto 3");
        check([1003], "cyclic(2) onto 3", "cyclic(10) onto 2");
        check([1003], "cyclic(40) onto 3", "cyclic(60) onto 5 first 2");
        check([777], "block onto 4", "cyclic onto 3");
        check([777], "cyclic onto 3", "block onto 4");
        check(
            [60, 70],
            "(cyclic(3), cyclic(2)) onto (2, 3)",
            "(cyclic(5), block) onto (3, 2) transposed",
        );
        check(
            [9, 14, 5],
            "(block, *, cyclic) onto (2, 2) storage fortran",
            "(*, cyclic(3), cyclic(2)) onto (2, 2)",
        );
        check(
            [50, 20],
            "(cyclic(16), cyclic(16)) onto (2, 2) of [128, 64] at [37, 5]",
            "(cyclic(7), block) onto (2, 2)",
        );
    }
}
