//! Chunks: source arrays cut into boxes that ranks publish round by round.

use super::chunk_order::{ChunkedDim, turns};
use super::overlap::{Overlap, stays};
use super::tiles;
use crate::arithmetic::{max, min};
use crate::plan::{AnyPlan, Axis, Side};
use crate::program::Program;
use core::ops::Range;

/// The source's local arrays, each cut into as many boxes of local indices, small enough for a
/// cache and contiguous in every rank's array. A box has whole rows of the fastest dimensions, some
/// rows of the next, and one index of all others. Along these, boxes begin with a rank's part of
/// the moved section, and end with the longest part. All ranks cut alike, because only the plan
/// decides.
#[derive(Clone, Debug)]
pub struct Chunks {
    /// Boxes along each dimension of the source.
    cuts: Vec<ChunkedDim>,
    /// Chunks of the array with the largest part of the section.
    count: usize,
    /// Elements from which a run that no other rank reads is not published.
    least: usize,
}

/// A run that no other rank reads is published with its neighbours if it is shorter than this part
/// of a chunk: 512 bytes of 64 KiB. Copies of more and shorter pieces gain nothing.
const LEAST_PART: usize = 128;

impl Chunks {
    pub fn new(plan: &AnyPlan, elements: usize) -> Self {
        let fastest_first: Vec<usize> =
            plan.descriptor(Side::Source).stored_order().rev().collect();
        let (cut, mut room) = fewest(plan, &fastest_first, max(elements, 1));
        let unset = ChunkedDim { extent: 1, boxes: 0, stride: 1, whole: false };
        let (mut cuts, mut count) = (vec![unset; plan.dimensions()], 1usize);
        for (place, &dimension) in fastest_first.iter().enumerate() {
            let (axis, whole) = (plan.axis(dimension), place < cut);
            let longest = if whole { longest(axis) } else { longest_moved(axis) };
            let extent = match (whole, place) {
                (true, _) => longest,
                (false, 0) => min(longest, whole_periods(plan, dimension, room)),
                (false, _) => min(longest, room),
            };
            let extent = max(extent, 1);
            let boxes = longest.div_ceil(extent);
            cuts[dimension] = ChunkedDim { extent, boxes, stride: count, whole };
            count = count.saturating_mul(boxes);
            // A box may have several indices of only one dimension whose faster dimensions are
            // whole.
            room = if whole { room } else { 1 };
        }
        Self { cuts, count, least: max(elements / LEAST_PART, 1) }
    }

    /// Counts the chunks of the array with the largest part of the section.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the local indices of chunk `number` along a dimension, on a rank whose part of the
    /// section begins at local index `moved`. They may exceed shorter parts.
    pub(super) fn indices(&self, number: usize, dimension: usize, moved: usize) -> Range<usize> {
        let cut = self.cuts[dimension];
        let start = cut.first(moved) + cut.box_of(number) * cut.extent;
        start..start.saturating_add(cut.extent)
    }

    pub(super) fn cut(&self, dimension: usize) -> ChunkedDim {
        self.cuts[dimension]
    }

    pub fn of_rank(&self, plan: &AnyPlan, program: &Program, rank: usize) -> RankChunks {
        let source = plan.descriptor(Side::Source);
        let (dimensions, coordinates) = (0..plan.dimensions(), source.coordinates(rank));
        let extents = source.local_extents(rank).unwrap_or_else(|| vec![0; plan.dimensions()]);
        let shown = dimensions.map(|dimension| {
            let Some(coordinates) = &coordinates else { return 0..0 };
            if self.cuts[dimension].whole {
                return 0..extents[dimension];
            }
            let axis = plan.axis(dimension);
            let from = |index| axis.side(Side::Source).local_from(coordinates[dimension], index);
            from(0)..from(axis.len())
        });
        let (shown, strides) = (shown.collect(), source.strides(&extents));
        let turns = turns(plan, (&self.cuts, self.count), program, rank);
        RankChunks { chunks: self.clone(), turns, strides, shown, stays: stays(plan, rank) }
    }
}

/// Takes at most `most` indices of the source's fastest dimension: whole periods, if both sides
/// store it fastest and little is lost.
fn whole_periods(plan: &AnyPlan, dimension: usize, most: usize) -> usize {
    let is_row = tiles::nest_order(plan).last() == Some(&dimension);
    let share = share_of_period(plan.axis(dimension)).filter(|_| is_row);
    let whole = share.map_or(0, |share| most / share * share);
    if whole >= most - most / 4 { whole } else { most }
}

/// Returns the elements of each source rank in a period, if there are several periods.
pub(super) fn share_of_period(axis: &Axis) -> Option<usize> {
    let repeats = axis.regular_blocks().is_some() && axis.period() < axis.len();
    repeats.then(|| axis.period() / axis.side(Side::Source).ranks())
}

/// Chooses the dimension that boxes cut, and their indices of it: the fewest boxes of at most
/// `room` elements, and then the fewest elements that are not moved.
fn fewest(plan: &AnyPlan, fastest_first: &[usize], mut room: usize) -> (usize, usize) {
    let moved = |place: usize| longest_moved(plan.axis(fastest_first[place]));
    let (mut found, mut fewest) = ((0, room), usize::MAX);
    for (place, &dimension) in fastest_first.iter().enumerate() {
        let slower = (place + 1..fastest_first.len()).map(moved);
        let boxes = moved(place).div_ceil(room);
        let boxes = slower.fold(boxes, usize::saturating_mul);
        if boxes < fewest {
            (found, fewest) = ((place, room), boxes);
        }
        let whole = max(longest(plan.axis(dimension)), 1);
        if whole > room {
            break;
        }
        room /= whole;
    }
    found
}

fn longest(axis: &Axis) -> usize {
    axis.side(Side::Source).deal().longest_share()
}

/// Bounds the moved section's extent in any local array of the source along a dimension. The
/// bound is exact unless blocks have listed sizes.
fn longest_moved(axis: &Axis) -> usize {
    let (section, len) = (axis.side(Side::Source), axis.len());
    match section.deal().given_blocks() {
        None => section.most_owned_below(len),
        Some(_) => min(longest(axis), len),
    }
}

/// The chunks of one rank's source array.
#[derive(Clone, Debug)]
pub struct RankChunks {
    chunks: Chunks,
    /// `None` for the order of the array.
    turns: Option<Vec<u32>>,
    /// Local indices that are published along each dimension.
    shown: Vec<Range<usize>>,
    /// Elements from neighbour to neighbour along each dimension.
    strides: Vec<usize>,
    stays: Option<Vec<Overlap>>,
}

/// A chunk that a rank publishes in a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownChunk {
    /// Number of the chunk.
    pub number: usize,
    /// Its elements in the rank's array; none if only longer parts have this chunk.
    pub elements: Range<usize>,
}

impl RankChunks {
    pub fn rounds(&self) -> usize {
        self.chunks.count
    }

    pub fn number(&self, round: usize) -> usize {
        self.turns.as_ref().map_or(round, |turns| turns[round] as usize)
    }

    pub fn shown(&self, round: usize) -> ShownChunk {
        let number = self.number(round);
        ShownChunk { number, elements: self.elements_of(number) }
    }

    /// Visits the elements of a chunk that other ranks may read, in order, without long runs that no
    /// other rank reads.
    pub fn for_each_read(&self, chunk: &ShownChunk, visit: &mut impl FnMut(Range<usize>)) {
        let all = chunk.elements.clone();
        if all.is_empty() {
            return;
        }
        let Some(stays) = &self.stays else { return visit(all) };
        let mut partly = None;
        for (dimension, (shown, stride)) in self.shown.iter().zip(&self.strides).enumerate() {
            let indices = self.chunks.indices(chunk.number, dimension, shown.start);
            let indices = indices.start..min(indices.end, shown.end);
            let staying = stays[dimension].count_in(indices.clone());
            if staying == indices.len() {
                continue;
            }
            // Runs that stay are long in one dimension, or in none.
            if staying == 0 || partly.is_some() {
                return visit(all);
            }
            partly = Some((&stays[dimension], indices, *stride));
        }
        let Some((stays, indices, stride)) = partly else { return };
        let least = self.chunks.least.div_ceil(stride);
        // Slower dimensions of which there are several indices lie together.
        for start in all.clone().step_by(indices.len() * stride) {
            let from = |index: usize| min(start + (index - indices.start) * stride, all.end);
            stays.for_each_between(indices.clone(), least, &mut |part| {
                visit(from(part.start)..from(part.end));
            });
        }
    }

    pub fn elements(&self, round: usize) -> Range<usize> {
        self.elements_of(self.number(round))
    }

    pub fn elements_of(&self, number: usize) -> Range<usize> {
        let (mut start, mut len) = (0, 1);
        for (dimension, (shown, stride)) in self.shown.iter().zip(&self.strides).enumerate() {
            let indices = self.chunks.indices(number, dimension, shown.start);
            let end = min(indices.end, shown.end);
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
                let shown = (0..own.rounds()).map(|round| own.elements(round));
                let mut shown: Vec<_> = shown.filter(|range| !range.is_empty()).collect();
                shown.sort_unstable_by_key(|range| range.start);
                let mut covered = 0;
                for range in shown {
                    let follows = range.len() <= elements && range.start == covered;
                    assert!(follows, "{from}, rank {rank}: {range:?}");
                    covered = range.end;
                }
                let len = plan.descriptor(Side::Source).local_len(rank);
                assert_eq!(covered, len, "{from}, rank {rank}");
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

    fn shown<const D: usize>(extents: [usize; D], from: &str, most: usize) -> (usize, usize) {
        let plan = AnyPlan::from(Plan::parse(extents, from, from).unwrap());
        let chunks = Chunks::new(&plan, most);
        let elements = (0..plan.ranks()).flat_map(|rank| {
            let program = Program::new(&plan, &[], Side::Source, rank);
            let own = chunks.of_rank(&plan, &program, rank);
            assert_eq!(own.rounds(), chunks.count());
            (0..own.rounds()).map(move |round| own.elements(round).len())
        });
        (chunks.count(), elements.sum())
    }

    #[test]
    fn rounds_are_those_of_the_section() {
        // Wherever it lies in however large an array: on two of three ranks, in blocks on all.
        let of = |from| shown([100], from, 10);
        assert_eq!(of("block onto 3 of [3000000000000] at [1999999999930]"), (7, 100));
        assert_eq!(of("cyclic(2) onto 5 of [1000000000000] at [40]"), (2, 100));
        assert_eq!(of("cyclic(30) onto 3 of [1000000000000] at [77]"), (4, 100));
        let given = "gen_block([1000000, 60, 0, 2000000]) onto 4 of [3000060] at [999990]";
        assert_eq!(of(given), (10, 100));
        // A chunk of few elements is as long as it may be, and cut to whole periods of two.
        assert_eq!(shown([10], "block onto 2", 3), (2, 10));
        assert_eq!(shown([20], "cyclic onto 2", 3), (4, 20));
        // Rows of 1000 that are moved whole, or not, or in so small a part that only the part is
        // published.
        let of =
            |extents, most| shown(extents, "(*, *) onto 1 of (1000000, 1000) at (70, 0)", most);
        assert_eq!(of([16, 1000], 4000), (4, 16_000));
        assert_eq!(of([16, 900], 4000), (4, 16_000));
        assert_eq!(of([16, 9], 900), (16, 144));
        // As many rounds either way: only what is moved is shown.
        assert_eq!(of([16, 9], 1000), (16, 144));
        // Columns lie together.
        let fortran = "(block, *) onto 2 of (2000, 1000000) at (990, 70) storage fortran";
        assert_eq!(shown([20, 30], fortran, 4000), (8, 60_000));
    }

    #[test]
    fn long_runs_that_stay_are_not_published() {
        // Of each column of the tiles, half stays: tiles of 8 of 64 rows take turns.
        let tiles = "(cyclic(8), cyclic(8)) onto";
        let [from, to] = ["(1, 2)", "(2, 1)"].map(|grid| format!("{tiles} {grid} storage fortran"));
        let plan = AnyPlan::from(Plan::parse([64, 32], &from, &to).unwrap());
        let published = |most| {
            let chunks = Chunks::new(&plan, most);
            let mut found = 0;
            for rank in 0..2 {
                let program = Program::new(&plan, &[], Side::Source, rank);
                let own = chunks.of_rank(&plan, &program, rank);
                for round in 0..own.rounds() {
                    own.for_each_read(&own.shown(round), &mut |part| found += part.len());
                }
            }
            found
        };
        assert_eq!([64, 200, 1024].map(published), [64 * 32 / 2; 3]);
        // Runs of 8 are short in chunks of 2048.
        assert_eq!(published(2048), 64 * 32);
    }

    #[test]
    fn nothing_is_shown_of_an_empty_section() {
        for extents in [[0, 5], [5, 0]] {
            let from = "(block, cyclic(3)) onto (2, 2) of (10000, 20000) at (5000, 3)";
            assert_eq!(shown(extents, from, 10), (0, 0));
        }
    }
}
