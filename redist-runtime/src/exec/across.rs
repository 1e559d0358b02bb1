//! Unpacks messages whose rows are columns of the local array: the destination transposes, or
//! stores its part in another order.
//!
//! Several rows are unpacked together, in squares with the side of a cache line. They are equally
//! long, because a message is a product of index sets, so the next row needs no table.

use super::combine::Unpacker;
use super::engine::{for_each_row, for_each_run};
use super::transfer::Transfer;
use crate::program::{LoopDim, Program, RunGroup, Spacing, StridedCopy};
use core::ops::Range;

pub(super) struct Across {
    level: usize,
    spacing: Vec<usize>,
}

/// Mean run length, in elements and along both levels, from which squares pay.
const MIN_RUN: usize = 8;

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
                by.copy(number, StridedCopy { inner, outer, ..StridedCopy::run(0, offset, 1) });
                by.skip(number, len);
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
    use crate::exec::combine::{ArrivedRuns, UnpackTo};
    use crate::exec::kernels::{Kernel, Vectors};
    use crate::exec::rank::{RankPacking, RankUnpacking};
    use crate::exec::transfer::{Refill, Whole, take_front};
    use crate::plan::{AnyPlan, Plan, Side};

    struct Pieces<'m>(Vec<&'m [u8]>);

    impl<'m> Refill<'m> for Pieces<'m> {
        fn refill(&mut self, message: usize, left: &mut &'m [u8], bytes: usize) -> bool {
            let whole = self.0[message];
            take_front(&mut self.0[message], bytes.min(whole.len()));
            *left = &whole[..bytes.min(whole.len())];
            left.len() == bytes
        }
    }

    fn of_ranks(packed: &[Vec<Vec<u8>>]) -> impl Iterator<Item = Vec<&[u8]>> {
        (0..packed.len()).map(|to| packed.iter().map(|of_sender| &of_sender[to][..]).collect())
    }

    fn check<const D: usize>(extents: [usize; D], from: &str, to: &str, width: usize) {
        let plan = AnyPlan::from(Plan::parse(extents, from, to).unwrap());
        let program = |side, rank| Program::new(&plan, &[], side, rank);
        let options = (width, Vectors::detected());
        let packed: Vec<Vec<Vec<u8>>> = (0..plan.ranks())
            .map(|rank| {
                let packing = RankPacking::new(program(Side::Source, rank), &[], options, None);
                let local: Vec<u8> = (0..packing.local_len() * width)
                    .map(|at| (at * 7 + at / 251 + rank) as u8)
                    .collect();
                let envelopes = packing.envelopes().iter();
                let mut messages: Vec<_> = envelopes.map(|to| vec![0; to.len * width]).collect();
                let mut slices: Vec<&mut [u8]> = messages.iter_mut().map(|m| &mut m[..]).collect();
                packing.pack(&local, &mut slices);
                let mut by_rank = vec![Vec::new(); plan.ranks()];
                for (to, message) in packing.envelopes().iter().zip(messages) {
                    by_rank[to.rank] = message;
                }
                by_rank
            })
            .collect();
        for (rank, own) in of_ranks(&packed).enumerate() {
            let unpacking =
                RankUnpacking::new(program(Side::Destination, rank), &[], options, None);
            let messages: Vec<&[u8]> =
                unpacking.envelopes().iter().map(|from| own[from.rank]).collect();
            if messages.is_empty() {
                continue;
            }
            assert_eq!(unpacking.kernel().kernel, Kernel::Squares, "{from} -> {to}");
            let empty = || vec![9; unpacking.local_len() * width];
            let mut expected = empty();
            for (number, message) in messages.iter().enumerate() {
                unpacking.unpack_message(&mut expected, number, message);
            }
            let mut found = empty();
            unpacking.unpack(&mut found, &mut messages.clone());
            assert!(found == expected, "{from} -> {to}, {width} bytes, rank {rank}");
            found = empty();
            let mut none = vec![&[][..]; messages.len()];
            let pieces = &mut Pieces(messages.clone());
            unpacking.unpack_to(&mut UnpackTo::Array(&mut found), &mut none, pieces);
            assert!(found == expected, "{from} -> {to}, {width} bytes, rank {rank}, in pieces");
            found = empty();
            let mut place = |message: &[u8], runs: ArrivedRuns| {
                for run in 0..runs.count {
                    let at = (runs.at + run * runs.local_spacing) * width;
                    let there = run * runs.spacing * width;
                    let bytes = runs.len * width;
                    found[at..at + bytes].copy_from_slice(&message[there..there + bytes]);
                }
            };
            let mut left = messages.clone();
            unpacking.unpack_to(&mut UnpackTo::Function(&mut place), &mut left, &mut Whole);
            assert!(found == expected, "{from} -> {to}, {width} bytes, rank {rank}, by a function");
            assert!(left.iter().all(|left| left.is_empty()), "all is consumed");
        }
    }

    #[test]
    fn squares_are_what_elements_are() {
        for width in [1, 2, 4, 8, 12, 16] {
            let to = "(cyclic(10), cyclic(23)) onto (2, 3) storage fortran";
            check([91, 140], "(cyclic(30), cyclic(17)) onto (2, 2)", to, width);
            let to = "(block, cyclic(12)) onto (3, 2) first (1, 1) transposed";
            check([150, 70], "(cyclic(24), block) onto (2, 3)", to, width);
        }
        let to = "(block, cyclic(3), cyclic(9)) onto (2, 2, 1) storage fortran";
        check([37, 14, 29], "(block, cyclic, *) onto (2, 3)", to, 8);
        let to = "(cyclic(8), *, block) onto (2, 2) axes (2, 0, 1)";
        check([30, 41, 20], "(*, cyclic(11), block) onto (2, 2)", to, 4);
        let to = "(*, block) onto 4 storage fortran";
        check([64, 64], "(cyclic(25), *) onto 2 of [90, 80] at [11, 5]", to, 8);
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
