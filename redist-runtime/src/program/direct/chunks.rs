//! Source arrays cut into chunks that are small enough for a cache.

use crate::arithmetic::{max, min};
use crate::layout::StorageOrder;
use crate::plan::{Plan, Side};
use core::ops::Range;

/// The source's local arrays, each cut into the same boxes of local indices.
///
/// A box has whole rows of the dimensions that are stored fastest, some rows of the next, and one index of all others: what
/// it covers lies together in memory, in every rank's array.
#[derive(Clone, Debug)]
pub struct Chunks {
    /// By dimension of the source.
    cuts: Vec<Cut>,
    count: usize,
}

/// One dimension of the boxes.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// Indices in a box.
    extent: usize,
    boxes: usize,
    /// By how much the number of a chunk grows from box to box.
    stride: usize,
}

impl Chunks {
    /// Chunks of at most `elements` elements, and of one at least.
    pub fn new<const D: usize>(plan: &Plan<D>, elements: usize) -> Self {
        let source = plan.descriptor(Side::Source);
        let (mut cuts, mut count, mut room) =
            (vec![Cut { extent: 1, boxes: 0, stride: 1 }; D], 1usize, max(elements, 1));
        for step in 0..D {
            let dimension = match source.layout().local_order() {
                StorageOrder::C => D - 1 - step,
                StorageOrder::Fortran => step,
            };
            let axis = source.axis(dimension);
            let longest = (0..axis.ranks()).map(|coordinate| axis.numroc(coordinate)).max().unwrap_or(0);
            let extent = max(min(longest, room), 1);
            let boxes = longest.div_ceil(extent);
            cuts[dimension] = Cut { extent, boxes, stride: count };
            count = count.saturating_mul(boxes);
            // Slower dimensions may have more than one index in a box only where all faster ones are whole.
            room = if boxes > 1 { 1 } else { room / extent };
        }
        Self { cuts, count }
    }

    /// How many chunks the largest array has.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The local indices that chunk number `number` covers along a dimension; shorter arrays end inside or before it.
    pub fn indices(&self, number: usize, dimension: usize) -> Range<usize> {
        let Cut { extent, boxes, stride } = self.cuts[dimension];
        let start = number / stride % boxes * extent;
        start..start.saturating_add(extent)
    }

    /// Where the chunks are in one rank's array.
    pub fn of_rank<const D: usize>(&self, plan: &Plan<D>, rank: usize) -> RankChunks {
        let source = plan.descriptor(Side::Source);
        let extents = source.local_extents(rank).unwrap_or([0; D]);
        RankChunks { chunks: self.clone(), extents: extents.to_vec(), strides: source.strides(extents).to_vec() }
    }
}

/// The chunks of one rank's source array.
#[derive(Clone, Debug)]
pub struct RankChunks {
    chunks: Chunks,
    extents: Vec<usize>,
    strides: Vec<usize>,
}

impl RankChunks {
    /// How many chunks the largest array of all ranks has: the last of this rank's may be empty.
    pub fn count(&self) -> usize {
        self.chunks.count
    }

    /// The elements of the array that chunk number `number` has.
    pub fn elements(&self, number: usize) -> Range<usize> {
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

    fn check<const D: usize>(extents: [usize; D], from: &str) {
        let plan = Plan::parse(extents, from, from).unwrap();
        for elements in [1, 2, 3, 7, 10, 50, 1000] {
            let chunks = Chunks::new(&plan, elements);
            for rank in 0..=plan.ranks() {
                let own = chunks.of_rank(&plan, rank);
                let mut covered = 0;
                for number in 0..own.count() {
                    let range = own.elements(number);
                    assert!(range.len() <= elements, "{from}, rank {rank}, chunk {number}: {range:?}");
                    if !range.is_empty() {
                        assert_eq!(range.start, covered, "{from}, rank {rank}, chunk {number}");
                        covered = range.end;
                    }
                }
                assert_eq!(covered, plan.descriptor(Side::Source).local_len(rank), "{from}, rank {rank}");
            }
        }
    }

    #[test]
    fn chunks_are_the_array_in_order() {
        check([103], "cyclic(5) onto 4");
        check([0], "cyclic(5) onto 4");
        check([17, 23], "(cyclic(2), block) onto (2, 3)");
        check([17, 23], "(cyclic(2), block) onto (2, 3) storage fortran");
        check([5, 7, 9], "(*, cyclic, block) onto (2, 2) storage fortran");
        check([40, 9], "(gen_block([30, 0, 10]), *) onto 3");
    }
}
