//! The order in which a rank publishes its chunks.

use crate::arithmetic::add_modulo;
use crate::plan::{AnyPlan, Axis, Side};
use crate::program::value::message_order;
use crate::program::{LoopDim, Program};
use core::ops::Range;

/// One dimension of the boxes that arrays are cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChunkedDim {
    /// Indices in a box.
    pub extent: usize,
    /// Boxes along the dimension.
    pub boxes: usize,
    /// Difference between the chunk numbers of neighbouring boxes.
    pub stride: usize,
    /// Boxes have whole rows, moved or not, and need not begin where the section does.
    pub whole: bool,
}

impl ChunkedDim {
    /// Returns the first box of a rank whose part of the section begins at local index `moved`.
    pub fn first(self, moved: usize) -> usize {
        if self.whole { 0 } else { moved }
    }

    pub fn box_of(self, number: usize) -> usize {
        number / self.stride % self.boxes
    }
}

/// Returns the chunk that one rank publishes in each round; `None` for the order of the array. The
/// array's order serves if each chunk has elements for every receiver, which then writes to one
/// region in a round. Otherwise chunks for different receivers take turns. Each rank begins with a
/// different receiver, so all ranks copy in every round (Park, Prasanna and Raghavendra, §4).
pub(super) fn turns(
    plan: &AnyPlan,
    (cuts, count): (&[ChunkedDim], usize),
    program: &Program,
    rank: usize,
) -> Option<Vec<u32>> {
    let dims = || message_order(plan).zip(&program.dims);
    let is_coarse = |dimension, dim| is_coarse(plan.axis(dimension), dim, cuts[dimension]);
    if !dims().any(|(dimension, dim)| is_coarse(dimension, dim)) || u32::try_from(count).is_err() {
        return None;
    }
    // The receiver of each chunk, from the fastest dimension, whose boxes are numbered first,
    // to the slowest.
    let (mut receivers, mut receiver_of) = (1, vec![0]);
    for (dimension, dim) in dims().collect::<Vec<_>>().into_iter().rev() {
        let (cut, faster) = (cuts[dimension], receiver_of);
        receiver_of = Vec::with_capacity(faster.len() * cut.boxes);
        if is_coarse(dimension, dim) {
            let of_boxes = of_boxes(dim, cut).map(|peer| peer * receivers);
            of_boxes.for_each(|slower| {
                receiver_of.extend(faster.iter().map(|receiver| slower + receiver))
            });
            receivers *= dim.peers.len();
        } else {
            (0..cut.boxes).for_each(|_| receiver_of.extend_from_slice(&faster));
        }
    }
    let begin = plan.descriptor(Side::Source).number_of(rank).unwrap_or(0);
    Some(take_turns(&receiver_of, receivers, begin))
}

fn is_coarse(axis: &Axis, dim: &LoopDim, cut: ChunkedDim) -> bool {
    let (from, to) = (axis.side(Side::Source), axis.side(Side::Destination));
    // Distance from the first to the last element of a box in the array, including elements of
    // other ranks where a box has several blocks.
    let dealt = cut.extent > from.block();
    let span = cut.extent.saturating_mul(if dealt { from.ranks() } else { 1 });
    cut.boxes > 1 && dim.peers.len() > 1 && span < to.block().saturating_mul(to.ranks())
}

/// Returns the receiver of the first moved element of each box, as a peer's number.
fn of_boxes(dim: &LoopDim, cut: ChunkedDim) -> impl Iterator<Item = usize> {
    let peers = dim.peers.len();
    let mut groups = dim.all_groups();
    let first = cut.first(dim.start);
    // The current run: its end, its receiver, its length, and the runs after it in its group.
    let (mut end, mut peer, mut len, mut left) = (dim.start, 0, 0, 0);
    (0..cut.boxes).map(move |number| {
        while first + number * cut.extent >= end || len == 0 {
            if left > 0 {
                (left, peer) = (left - 1, add_modulo(peer, 1, peers));
            } else if let Some(group) = groups.next() {
                (left, peer, len) = (group.count - 1, group.peer, group.len);
            } else {
                break;
            }
            end += len;
        }
        peer
    })
}

/// Lists all chunks, one of each receiver in turn, from receiver `begin` on.
fn take_turns(receiver_of: &[usize], receivers: usize, begin: usize) -> Vec<u32> {
    let mut starts = vec![0; receivers + 1];
    receiver_of.iter().for_each(|&receiver| starts[receiver + 1] += 1);
    (0..receivers).for_each(|receiver| starts[receiver + 1] += starts[receiver]);
    let chunks_of = |receiver: usize| starts[receiver]..starts[receiver + 1];
    let mut waiting: Vec<_> =
        (0..receivers).map(|turn| chunks_of((begin + turn) % receivers)).collect();
    let mut sorted = vec![0; receiver_of.len()];
    for (number, &receiver) in (0..).zip(receiver_of) {
        sorted[starts[receiver]] = number;
        starts[receiver] += 1;
    }
    let mut turns = Vec::with_capacity(sorted.len());
    while let Some(common) = waiting.iter().map(Range::len).min() {
        for _ in 0..common {
            for chunks in &mut waiting {
                turns.push(sorted[chunks.start]);
                chunks.start += 1;
            }
        }
        waiting.retain(|chunks| !Range::is_empty(chunks));
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use crate::program::{Chunks, RankChunks};

    fn shown(extent: usize, from: &str, to: &str, elements: usize) -> Vec<Vec<usize>> {
        let plan = AnyPlan::from(Plan::<1>::parse([extent], from, to).unwrap());
        let chunks = Chunks::new(&plan, elements);
        let orders: Vec<_> = (0..4).map(|rank| order(&plan, &chunks, rank)).collect();
        (0..chunks.count())
            .map(|round| orders.iter().map(|order| order.number(round)).collect())
            .collect()
    }

    #[test]
    fn in_every_round_there_is_something_for_every_receiver() {
        // 100 elements a rank, of which each receiver gets 25 that lie together: 5 chunks.
        let rounds = shown(400, "cyclic onto 4", "block onto 4", 5);
        assert_eq!(rounds[0], [0, 5, 10, 15]);
        for chunks in &rounds {
            let mut receivers: Vec<_> = chunks.iter().map(|chunk| chunk / 5).collect();
            receivers.sort_unstable();
            assert_eq!(receivers, [0, 1, 2, 3], "{chunks:?}");
        }
    }

    fn receiver(axis: &Axis, coordinate: usize, first: usize) -> usize {
        let (from, to) = (axis.side(Side::Source), axis.side(Side::Destination));
        let start = from.local_from(coordinate, 0);
        let last = start + from.owned_below(coordinate, axis.len()) - 1;
        to.owner(from.deal().global(coordinate, first.clamp(start, last)).unwrap() - from.at())
    }

    fn order(plan: &AnyPlan, chunks: &Chunks, rank: usize) -> RankChunks {
        chunks.of_rank(plan, &Program::new(plan, &[], Side::Source, rank), rank)
    }

    /// Takes chunks in turn from one list for each receiver.
    fn by_definition(
        plan: &AnyPlan,
        chunks: &Chunks,
        program: &Program,
        rank: usize,
    ) -> Vec<usize> {
        let source = plan.descriptor(Side::Source);
        let coordinates = source.coordinates(rank).unwrap();
        let coarse: Vec<(usize, &LoopDim)> = message_order(plan)
            .zip(&program.dims)
            .filter(|(dimension, dim)| {
                is_coarse(plan.axis(*dimension), dim, chunks.cut(*dimension))
            })
            .collect();
        // By receiver: its number counts the slowest dimension's peers first.
        let count = coarse.iter().map(|(_, dim)| dim.peers.len()).product();
        let mut lists = vec![Vec::new(); count];
        for number in 0..chunks.count() {
            let list = coarse.iter().fold(0, |list, &(dimension, dim)| {
                let (axis, coordinate) = (plan.axis(dimension), coordinates[dimension]);
                let moved = axis.side(Side::Source).local_from(coordinate, 0);
                let first = chunks.indices(number, dimension, moved).start;
                let peer = dim.peers.binary_search(&receiver(axis, coordinate, first));
                list * dim.peers.len() + peer.unwrap()
            });
            lists[list].push(number);
        }
        lists.rotate_left(source.number_of(rank).unwrap() % count);
        let longest = lists.iter().map(Vec::len).max().unwrap();
        (0..longest)
            .flat_map(|turn| lists.iter().filter_map(move |list| list.get(turn).copied()))
            .collect()
    }

    fn check<const D: usize>(extents: [usize; D], from: &str, to: &str) -> bool {
        let plan = AnyPlan::from(Plan::parse(extents, from, to).unwrap());
        let mut turned = false;
        for elements in [1, 2, 3, 7, 16, 40] {
            let chunks = Chunks::new(&plan, elements);
            for rank in 0..plan.descriptor(Side::Source).ranks() {
                let program = Program::new(&plan, &[], Side::Source, rank);
                let order = chunks.of_rank(&plan, &program, rank);
                let found = (0..chunks.count()).map(|round| order.number(round));
                let expected = by_definition(&plan, &chunks, &program, rank);
                assert!(found.eq(expected.iter().copied()), "{from} -> {to}, rank {rank}");
                turned |= !expected.is_sorted();
            }
        }
        turned
    }

    #[test]
    fn orders_are_what_their_definition_says() {
        assert!(check([400], "cyclic onto 4", "block onto 4"));
        assert!(check([403], "cyclic(10) onto 3", "cyclic(35) onto 4 first 2"));
        assert!(check([400], "gen_block([30, 0, 250, 120]) onto 4", "cyclic(9) onto 3"));
        let section = "cyclic(5) onto 3 of [150] at [28]";
        assert!(check([100], section, "cyclic(8) onto 2 of [120] at [13]"));
        let tiles = "(cyclic(6), cyclic(4)) onto (2, 2)";
        assert!(check([60, 64], tiles, "(cyclic(9), cyclic(10)) onto (2, 3)"));
        let boxes = "(cyclic(7), block, cyclic(6)) onto (2, 2, 2)";
        assert!(check([40, 30, 20], "(block, *, *) onto 2", boxes));
        let fortran = "(cyclic(2), cyclic(5)) onto (2, 2) storage fortran";
        assert!(check([60, 64], fortran, "(cyclic(9), cyclic(10)) onto (2, 3) transposed"));
    }

    #[test]
    fn a_rank_outside_the_grid_and_an_empty_array_have_no_turns() {
        for (extent, rank) in [(400, 4), (0, 1)] {
            let plan =
                AnyPlan::from(Plan::<1>::parse([extent], "cyclic onto 4", "block onto 5").unwrap());
            assert_eq!(order(&plan, &Chunks::new(&plan, 5), rank).number(3), 3);
        }
    }

    #[test]
    fn chunks_for_every_receiver_come_in_the_order_of_the_array() {
        let rounds = shown(400, "block onto 4", "cyclic onto 4", 20);
        assert!(rounds.iter().enumerate().all(|(round, chunks)| *chunks == [round; 4]));
    }
}
