//! Unpacks messages whose rows are columns of the local array: the destination transposes, or
//! stores its part in another order.
//!
//! Several rows are unpacked together, in squares with the side of a cache line. They are equally
//! long, because a message is a product of index sets, so the next row needs no table.

use super::engine::{for_each_row, for_each_run};
use super::transfer::Unpacker;
use crate::program::{LoopDim, Program, RunGroup, Spacing, StridedCopy};
use core::ops::Range;

/// Unpacks a program's messages in squares, because their rows are columns of the local array.
pub(super) struct Across {
    /// Level of the loop nest whose indices are neighbours in the local array.
    level: usize,
    /// Elements of each message from one index of that level to the next.
    spacing: Vec<usize>,
}

/// Mean run length, in elements and along both levels, from which squares pay.
const MIN_RUN: usize = 8;

/// Most rows of a message that are unpacked together.
const MOST_ACROSS: usize = 64;

impl Across {
    /// Returns `None` for contiguous rows, short runs, or if no level's indices are contiguous.
    pub fn of(program: &Program) -> Option<Self> {
        let (row, slower) = program.dims.split_last()?;
        let level = slower.iter().position(|dim| dim.stride == 1 && mean_run(dim) >= MIN_RUN)?;
        let faster = &program.dims[level + 1..];
        let elements = |message| {
            let of_peer =
                |dim: &LoopDim| dim.counts[message / dim.message_stride % dim.peers.len()];
            faster.iter().map(of_peer).product()
        };
        (row.stride > 1 && mean_run(row) >= MIN_RUN).then(|| Self {
            level,
            spacing: (0..program.envelopes().len()).map(elements).collect(),
        })
    }

    /// Unpacks the messages to the local array, which begins at `first`; stops at a message's end.
    pub fn unpack(&self, (levels, first): (&[LoopDim], usize), by: &mut Unpacker<'_, '_, '_>) {
        let (slower, faster) = levels.split_at(self.level + 1);
        for_each_row(slower, first, 0, &mut |level, mut offset, message| {
            for_each_run(level, level.all_groups(), &mut |peer, len| {
                let message = message + peer * level.message_stride;
                let messages = message..message + level.message_stride;
                for done in (0..len).step_by(MOST_ACROSS) {
                    let count = MOST_ACROSS.min(len - done);
                    if messages.clone().all(|number| by.has(number, count * self.spacing[number])) {
                        self.rows((faster, offset), messages.clone(), count, by);
                    }
                    offset += count;
                }
            });
        });
    }

    /// Copies `count` rows of each of these messages. Consumes each from the front of its first
    /// row; its other rows lie behind.
    fn rows(
        &self,
        (levels, offset): (&[LoopDim], usize),
        messages: Range<usize>,
        count: usize,
        by: &mut Unpacker<'_, '_, '_>,
    ) {
        for_each_row(levels, offset, messages.start, &mut |row, mut offset, message| {
            for_each_run(row, row.all_groups(), &mut |peer, len| {
                let number = message + peer;
                let inner = Spacing { count, source: self.spacing[number], destination: 1 };
                let outer = Spacing { count: len, source: 1, destination: row.stride };
                let runs = StridedCopy { inner, outer, ..StridedCopy::run(0, offset, 1) };
                by.copy(number, runs, len);
                offset += len * row.stride;
            });
        });
        for number in messages {
            by.skip(number, (count - 1) * self.spacing[number]);
        }
    }
}

fn mean_run(dim: &LoopDim) -> usize {
    let runs = |groups: &[RunGroup]| -> usize { groups.iter().map(|group| group.count).sum() };
    let all = dim.repeats * runs(&dim.groups) + runs(&dim.rest);
    dim.counts.iter().sum::<usize>() / all.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::kernels::{Kernel, Vectors};
    use crate::exec::rank::RankUnpacking;
    use crate::exec::transfer::UnpackTo;
    use crate::plan::{AnyPlan, Plan, Side};

    fn check(extents: [usize; 2], from: &str, to: &str, width: usize) {
        let plan = AnyPlan::from(Plan::parse(extents, from, to).unwrap());
        for rank in 0..plan.ranks() {
            let program = Program::new(&plan, &[], Side::Destination, rank);
            let unpacking = RankUnpacking::new(program, &[], (width, Vectors::detected()), None);
            let lens = unpacking.envelopes().iter().map(|envelope| envelope.len * width);
            let bytes = |len: usize| (0..len).map(|at| (at * 7 + at / 251 + len) as u8).collect();
            let packed: Vec<Vec<u8>> = lens.map(bytes).collect();
            if packed.is_empty() {
                continue;
            }
            assert_eq!(unpacking.kernel().kernel, Kernel::Squares, "{from} -> {to}");
            let messages: Vec<&[u8]> = packed.iter().map(Vec::as_slice).collect();
            let empty = || vec![9; unpacking.local_len() * width];
            let (mut expected, mut in_pieces) = (empty(), empty());
            unpacking.unpack(&mut expected, &mut messages.clone());
            let mut none = vec![&[][..]; messages.len()];
            let mut rest = messages.clone();
            let array = &mut UnpackTo::Array(&mut in_pieces);
            unpacking.unpack_to(array, &mut none, &mut |message, left, bytes| {
                let whole = rest[message];
                let bytes = bytes.min(whole.len());
                (*left, rest[message]) = (&whole[..bytes], &whole[bytes..]);
                left.len() == bytes
            });
            assert!(in_pieces == expected, "{from} -> {to}, {width} bytes, rank {rank}, in pieces");
        }
    }

    #[test]
    fn squares_may_arrive_in_pieces() {
        for width in [1, 8, 12] {
            let to = "(cyclic(10), cyclic(23)) onto (2, 3) storage fortran";
            check([91, 140], "(cyclic(30), cyclic(17)) onto (2, 2)", to, width);
            let to = "(block, cyclic(12)) onto (3, 2) first (1, 1) transposed";
            check([150, 70], "(cyclic(24), block) onto (2, 3)", to, width);
        }
    }

    #[test]
    fn short_runs_and_whole_rows_are_others_work() {
        for (from, to) in [
            ("(cyclic(2), cyclic(2)) onto (2, 2)", "(cyclic, cyclic(3)) onto (2, 2) transposed"),
            ("(cyclic(9), block) onto (2, 2)", "(block, cyclic(9)) onto (2, 2)"),
        ] {
            let plan = AnyPlan::from(Plan::parse([90, 90], from, to).unwrap());
            assert!(Across::of(&Program::new(&plan, &[], Side::Destination, 0)).is_none());
        }
    }
}
