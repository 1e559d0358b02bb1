//! Source arrays cut into chunks that are small enough for a cache.

use super::chunk_order::ChunkOrder;
use crate::arithmetic::{max, min};
use crate::plan::{AnyPlan, Axis, Side};
use crate::program::Program;
use core::ops::Range;

/// The source's local arrays, each cut into the same boxes of local indices.
///
/// A box has whole rows of the fastest dimensions, some rows of the next, and one index of all
/// others, so that it is contiguous in every rank's array.
#[derive(Clone, Debug)]
pub struct Chunks {
    /// By dimension of the source.
    cuts: Vec<ChunkedDim>,
    count: usize,
}

/// One dimension of the boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkedDim {
    /// Indices in a box.
    pub extent: usize,
    pub boxes: usize,
    /// Difference between the chunk numbers of neighbouring boxes.
    stride: usize,
}

impl Chunks {
    /// Chunks of at most `elements` elements, and of one at least.
    pub fn new(plan: &AnyPlan, elements: usize) -> Self {
        let whole = ChunkedDim { extent: 1, boxes: 0, stride: 1 };
        let (mut cuts, mut count, mut room) =
            (vec![whole; plan.dimensions()], 1usize, max(elements, 1));
        for dimension in plan.descriptor(Side::Source).stored_order().rev() {
            let longest = longest(plan.axis(dimension));
            let extent = max(min(longest, room), 1);
            let boxes = longest.div_ceil(extent);
            cuts[dimension] = ChunkedDim { extent, boxes, stride: count };
            count = count.saturating_mul(boxes);
            // A box may have several indices of a dimension only where all faster ones are whole.
            room = if boxes > 1 { 1 } else { room / extent };
        }
        Self { cuts, count }
    }

    /// Number of chunks of the largest array.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The local indices of chunk `number` along a dimension; shorter arrays end inside or before
    /// it.
    pub fn indices(&self, number: usize, dimension: usize) -> Range<usize> {
        let ChunkedDim { extent, boxes, stride } = self.cuts[dimension];
        let start = number / stride % boxes * extent;
        start..start.saturating_add(extent)
    }

    pub(super) fn cut(&self, dimension: usize) -> ChunkedDim {
        self.cuts[dimension]
    }

    /// The chunks of one rank's array and the order in which it shows them; `program` is what the
    /// rank packs.
    pub fn of_rank(&self, plan: &AnyPlan, program: &Program, rank: usize) -> RankChunks {
        let source = plan.descriptor(Side::Source);
        let extents = source.local_extents(rank).unwrap_or_else(|| vec![0; plan.dimensions()]);
        let order = ChunkOrder::new(plan, self, program, rank);
        RankChunks { chunks: self.clone(), order, strides: source.strides(&extents), extents }
    }
}

/// Extent of the largest local array of the source along a dimension: that of the first rank in the
/// distribution, or the largest given block.
fn longest(axis: &Axis) -> usize {
    let deal = axis.side(Side::Source).deal();
    match deal.regular_block() {
        Some(_) => deal.numroc(deal.first()),
        None => min(deal.block(), deal.extent()),
    }
}

/// The chunks of one rank's source array.
#[derive(Clone, Debug)]
pub struct RankChunks {
    chunks: Chunks,
    order: ChunkOrder,
    extents: Vec<usize>,
    strides: Vec<usize>,
}

impl RankChunks {
    /// Number of rounds in which all ranks show all chunks.
    pub fn rounds(&self) -> usize {
        self.chunks.count
    }

    /// The number of the chunk that this rank shows in a round.
    pub fn number(&self, round: usize) -> usize {
        self.order.chunk(round)
    }

    /// The elements of the array that this rank shows in a round; none where the others' arrays are
    /// longer.
    pub fn elements(&self, round: usize) -> Range<usize> {
        let number = self.number(round);
        let (mut start, mut len) = (0, 1);
        for (dimension, (&extent, stride)) in self.extents.iter().zip(&self.strides).enumerate() {
            let indices = self.chunks.indices(number, dimension);
            let end = min(indices.end, extent);
            if indices.start >= end {
                return 0..0;
            }
            start += indices.start * stride;
            len *= end - indices.start;
        }
        start..start + len
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    fn check<const D: usize>(extents: [usize; D], from: &str) {
        let plan = AnyPlan::from(Plan::parse(extents, from, from).unwrap());
        for elements in [1, 2, 3, 7, 10, 50, 1000] {
            let chunks = Chunks::new(&plan, elements);
            for rank in 0..=plan.ranks() {
                let program = Program::new(&plan, &[], Side::Source, rank);
                let own = chunks.of_rank(&plan, &program, rank);
                let shown = (0..own.rounds())
                    .map(|round| own.elements(round))
                    .filter(|range| !range.is_empty());
                let mut shown: Vec<_> = shown.collect();
                shown.sort_unstable_by_key(|range| range.start);
                let mut covered = 0;
                for range in shown {
                    assert!(
                        range.len() <= elements && range.start == covered,
                        "{from}, rank {rank}: {range:?}"
                    );
                    covered = range.end;
                }
                assert_eq!(
                    covered,
                    plan.descriptor(Side::Source).local_len(rank),
                    "{from}, rank {rank}"
                );
            }
        }
    }

    #[test]
    fn chunks_are_the_array() {
        check([103], "cyclic(5) onto 4");
        check([0], "cyclic(5) onto 4");
        check([17, 23], "(cyclic(2), block) onto (2, 3)");
        check([17, 23], "(cyclic(2), block) onto (2, 3) storage fortran");
        check([5, 7, 9], "(*, cyclic, block) onto (2, 2) storage fortran");
        check([40, 9], "(gen_block([30, 0, 10]), *) onto 3");
    }
}
