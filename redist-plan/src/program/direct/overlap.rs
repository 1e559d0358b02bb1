//! Elements that two coordinates share along a dimension.

use super::strided_copy::{Joined, Spacing, StridedCopy};
use crate::arithmetic::{max, min};
use crate::plan::{AnyPlan, Axis, Section, Side};
use crate::program::block_cursor::BlockCursor;
use core::ops::Range;

/// The elements that two coordinates share along one dimension: the runs of a period, repeated, and
/// the rest. Evenly spaced runs take the memory of one.
#[derive(Clone, Debug)]
pub struct Overlap {
    /// Coordinate in the source's grid.
    pub source: usize,
    /// Coordinate in the destination's grid.
    pub destination: usize,
    periodic: Vec<StridedCopy>,
    /// Whole periods.
    repeats: usize,
    /// Increment of both local indices per period.
    step: (usize, usize),
    rest: Vec<StridedCopy>,
    /// Local indices of the first element of the moved section, by side.
    pub(super) start: (usize, usize),
    to: Section,
    /// Elements of the longest run.
    longest: usize,
}

/// The part of an [`Overlap`] in a range of one side.
#[derive(Clone, Debug)]
pub(super) struct OverlapPart {
    side: Side,
    /// In local indices of `side`.
    range: Range<usize>,
    /// Periods that the range includes whole.
    whole: Range<usize>,
    /// Periods that the range includes in part.
    cut: [Option<usize>; 2],
}

impl Overlap {
    pub fn new(axis: &Axis, source: usize, destination: usize) -> Self {
        let (from, to) = (axis.side(Side::Source), axis.side(Side::Destination));
        let period = max(axis.period(), 1);
        let repeats = if axis.len() / period < 2 { 0 } else { axis.len() / period };
        let shared = |elements| shared(axis, source, destination, elements);
        let mut overlap = Self {
            source,
            destination,
            periodic: if repeats > 0 { shared(0..period) } else { Vec::new() },
            repeats,
            step: (from.owned_below(source, period), to.owned_below(destination, period)),
            rest: shared(repeats * period..axis.len()),
            start: (from.local_from(source, 0), to.local_from(destination, 0)),
            to,
            longest: 0,
        };
        overlap.join_repetitions();
        let lens = overlap.periodic.iter().chain(&overlap.rest).map(|row| row.len);
        overlap.longest = lens.max().unwrap_or(0);
        overlap
    }

    /// Finds the same elements in a message that holds them one after the other.
    pub(super) fn of_message(axis: &Axis, source: usize, destination: usize) -> Self {
        let mut overlap = Self::new(axis, source, destination);
        let mut end = 0;
        let mut packed = |rows: &[StridedCopy]| {
            let mut joined = Joined::default();
            for row in rows {
                let inner = Spacing { source: row.len, ..row.inner };
                joined.push(StridedCopy { source: end, inner, ..*row });
                end += row.elements();
            }
            (joined.0, end)
        };
        let (periodic, period) = packed(&overlap.periodic);
        overlap.rest = packed(&overlap.rest).0;
        let of_rest = period * overlap.repeats.saturating_sub(1);
        overlap.rest.iter_mut().for_each(|row| row.source += of_rest);
        (overlap.periodic, overlap.step.0, overlap.start.0) = (periodic, period, 0);
        overlap.join_repetitions();
        overlap
    }

    pub(super) fn elements(&self) -> usize {
        let all = |rows: &[StridedCopy]| rows.iter().map(StridedCopy::elements).sum::<usize>();
        all(&self.periodic) * self.repeats + all(&self.rest)
    }

    fn join_repetitions(&mut self) {
        let [row] = self.periodic.as_slice() else { return };
        let mut joined = Joined::default();
        joined.push(*row);
        joined.push(row.shifted(self.step.0, self.step.1));
        if let [both] = joined.0.as_slice() {
            let all = match both.inner.count {
                1 => StridedCopy { len: row.len * self.repeats, ..*row },
                _ => StridedCopy {
                    inner: Spacing { count: row.inner.count * self.repeats, ..both.inner },
                    ..*row
                },
            };
            self.rest.insert(0, all);
            (self.periodic, self.repeats) = (Vec::new(), 0);
        }
    }

    /// Returns the part in a range of the dimension; `None` if it is empty.
    pub(super) fn part(&self, elements: &Range<usize>) -> Option<OverlapPart> {
        let local = |index| self.to.local_from(self.destination, index);
        self.part_of(Side::Destination, local(elements.start)..local(elements.end))
    }

    pub(super) fn part_of(&self, side: Side, range: Range<usize>) -> Option<OverlapPart> {
        if range.is_empty() {
            return None;
        }
        let (start, step) = match side {
            Side::Source => (self.start.0, self.step.0),
            Side::Destination => (self.start.1, self.step.1),
        };
        let mut part = OverlapPart { side, range, whole: 0..0, cut: [None; 2] };
        let first = part.range.start.saturating_sub(start);
        let last = min(part.range.end.saturating_sub(start), self.repeats * step);
        if first < last {
            part.whole = first.div_ceil(step)..last / step;
            part.cut[0] = (!first.is_multiple_of(step)).then_some(first / step);
            part.cut[1] = (!last.is_multiple_of(step))
                .then_some(last / step)
                .filter(|&period| Some(period) != part.cut[0]);
        }
        Some(part)
    }

    #[inline]
    pub(super) fn for_each(&self, part: &OverlapPart, visit: &mut impl FnMut(StridedCopy)) {
        let shifted = |strided: &StridedCopy, period| {
            strided.shifted(period * self.step.0, period * self.step.1)
        };
        for period in part.cut.into_iter().flatten() {
            self.periodic
                .iter()
                .for_each(|strided| shifted(strided, period).cut(part.side, &part.range, visit));
        }
        if !part.whole.is_empty() {
            let rows =
                |strided| shifted(strided, part.whole.start).repeated(part.whole.len(), self.step);
            self.periodic.iter().for_each(|strided| visit(rows(strided)));
        }
        let begun = self.rest.partition_point(|strided| strided.end(part.side) <= part.range.start);
        let in_range = self.rest[begun..]
            .iter()
            .take_while(|strided| strided.start(part.side) < part.range.end);
        in_range.for_each(|strided| strided.cut(part.side, &part.range, visit));
    }

    /// Counts the shared elements in a range of the source.
    pub(super) fn count_in(&self, indices: Range<usize>) -> usize {
        let mut count = 0;
        if let Some(part) = self.part_of(Side::Source, indices) {
            self.for_each(&part, &mut |runs| count += runs.elements());
        }
        count
    }

    /// Visits what a range of the source has between shared runs, in order. Shared runs of less than
    /// `least` elements, or their ends in the range, go with it.
    pub(super) fn for_each_between(
        &self,
        indices: Range<usize>,
        least: usize,
        visit: &mut impl FnMut(Range<usize>),
    ) {
        let mut from = indices.start;
        if self.longest >= least {
            self.for_each_run(&indices, &mut |run| {
                if run.len() >= least {
                    if from < run.start {
                        visit(from..run.start);
                    }
                    from = run.end;
                }
            });
        }
        if from < indices.end {
            visit(from..indices.end);
        }
    }

    /// Visits the shared runs in a range of the source one by one, in order.
    fn for_each_run(&self, indices: &Range<usize>, visit: &mut impl FnMut(Range<usize>)) {
        let Some(part) = self.part_of(Side::Source, indices.clone()) else { return };
        let mut each = |row: StridedCopy| {
            row.cut(Side::Source, indices, &mut |runs| {
                runs.runs().for_each(|(start, _)| visit(start..start + runs.len));
            });
        };
        for period in part.cut[0].into_iter().chain(part.whole).chain(part.cut[1]) {
            let by = (period * self.step.0, period * self.step.1);
            self.periodic.iter().for_each(|row| each(row.shifted(by.0, by.1)));
        }
        let begun = self.rest.partition_point(|row| row.end(Side::Source) <= indices.start);
        self.rest[begun..]
            .iter()
            .take_while(|row| row.start(Side::Source) < indices.end)
            .for_each(|row| each(*row));
    }
}

/// Returns a rank's own elements along each source dimension that stay, and need no publishing.
pub(super) fn stays(plan: &AnyPlan, rank: usize) -> Option<Vec<Overlap>> {
    let coordinates = |side| plan.descriptor(side).coordinates(rank);
    let (source, destination) = (coordinates(Side::Source)?, coordinates(Side::Destination)?);
    let along = |dimension: usize| {
        let there = destination[plan.destination_axis(dimension)];
        Overlap::new(plan.axis(dimension), source[dimension], there)
    };
    Some((0..plan.dimensions()).map(along).collect())
}

/// Lists the shared runs by cursors that jump to the next block (ScaLAPACK's scan).
fn shared(
    axis: &Axis,
    source: usize,
    destination: usize,
    elements: Range<usize>,
) -> Vec<StridedCopy> {
    let (from, to) = (axis.side(Side::Source), axis.side(Side::Destination));
    let (mut here, mut there) = (
        BlockCursor::new(&from, source, elements.start),
        BlockCursor::new(&to, destination, elements.start),
    );
    let (mut joined, mut index) = (Joined::default(), elements.start);
    loop {
        index = max(index, max(here.start, there.start));
        if index >= elements.end {
            return joined.0;
        }
        if min(here.end, there.end) <= index {
            here.seek(index);
            there.seek(index);
            continue;
        }
        let end = min(min(here.end, there.end), elements.end);
        joined.push(StridedCopy::run(here.local_from(index), there.local_from(index), end - index));
        index = end;
        let destination_is_finer = there.end < here.end;
        let (coarse, fine) =
            if destination_is_finer { (&here, &mut there) } else { (&there, &mut here) };
        fine.seek(index);
        let (count, len, round) = fine.whole_below(min(coarse.end, elements.end));
        if count > 1 {
            let (finer, coarser) = (fine.local_from(fine.start), coarse.local_from(fine.start));
            let (source, destination, inner) = match destination_is_finer {
                true => (coarser, finer, Spacing { count, source: round, destination: len }),
                false => (finer, coarser, Spacing { count, source: len, destination: round }),
            };
            joined.push(StridedCopy { inner, ..StridedCopy::run(source, destination, len) });
            fine.skip(count);
            index = fine.end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    fn overlap(extent: usize, from: &str, to: &str, ranks: (usize, usize)) -> Overlap {
        Overlap::new(&Plan::<1>::parse([extent], from, to).unwrap().axis(0), ranks.0, ranks.1)
    }

    fn visited(overlap: &Overlap, elements: Range<usize>) -> Vec<StridedCopy> {
        let mut visited = Vec::new();
        overlap.for_each(&overlap.part(&elements).unwrap(), &mut |strided| visited.push(strided));
        visited
    }

    fn spacing(count: usize, source: usize, destination: usize) -> Spacing {
        Spacing { count, source, destination }
    }

    #[test]
    fn evenly_spaced_runs_are_one_however_many() {
        let gather = overlap(5_120_000, "block onto 4", "cyclic onto 4", (1, 2));
        let row =
            |count| StridedCopy { inner: spacing(count, 4, 1), ..StridedCopy::run(2, 320_000, 1) };
        assert_eq!(
            (gather.periodic.as_slice(), gather.rest.as_slice()),
            (&[][..], &[row(320_000)][..])
        );
        assert_eq!(visited(&gather, 1_280_000..1_280_400), [row(100)]);
    }

    #[test]
    fn short_periods_are_taken_many_at_a_time() {
        let short = overlap(5_120_000, "cyclic(10) onto 4", "cyclic(2) onto 4", (0, 0));
        let periods = StridedCopy {
            inner: spacing(90, 10, 10),
            outer: spacing(2, 8, 2),
            ..StridedCopy::run(100, 100, 2)
        };
        assert_eq!(visited(&short, 400..4000), [periods]);
        let long = overlap(5_120_000, "cyclic(200) onto 4", "cyclic(2) onto 4", (0, 0));
        let periods = StridedCopy {
            inner: spacing(25, 8, 2),
            outer: spacing(3, 200, 200),
            ..StridedCopy::run(0, 0, 2)
        };
        assert_eq!(visited(&long, 0..2400), [periods]);
    }

    #[test]
    fn what_never_leaves_its_rank_is_one_run() {
        let stays = overlap(1000, "cyclic(2) onto 4", "cyclic(2) onto 4", (1, 1));
        assert_eq!(visited(&stays, 0..1000), [StridedCopy::run(0, 0, 250)]);
    }

    fn leaving(to: &str, rank: usize, indices: Range<usize>, least: usize) -> Vec<(usize, usize)> {
        let plan = Plan::<1>::parse([120], "block onto 2", to).unwrap();
        let (stays, mut found) = (stays(&AnyPlan::from(plan), rank).unwrap(), Vec::new());
        stays[0].for_each_between(indices, least, &mut |part| found.push((part.start, part.end)));
        found
    }

    #[test]
    fn what_stays_is_left_out() {
        // Rank 0 keeps 0..40 of its 60.
        assert_eq!(leaving("block onto 3", 0, 0..30, 1), []);
        assert_eq!(leaving("block onto 3", 0, 30..60, 1), [(40, 60)]);
        assert_eq!(leaving("block onto 3", 0, 45..60, 1), [(45, 60)]);
        // Rank 1 has 60..120, and keeps 60..80.
        assert_eq!(leaving("block onto 3", 1, 10..30, 1), [(20, 30)]);
        // Of 80..120 and 40..80, the one has 20 of them at its end, the other none.
        assert_eq!(leaving("gen_block([40, 80]) onto 2", 1, 0..60, 1), []);
        assert_eq!(leaving("gen_block([80, 40]) onto 2", 1, 0..60, 1), [(0, 20)]);
        // Blocks that stay and blocks that leave take turns.
        assert_eq!(leaving("cyclic(20) onto 2", 0, 0..60, 20), [(20, 40)]);
        assert_eq!(leaving("cyclic(10) onto 2", 0, 5..60, 5), [(10, 20), (30, 40), (50, 60)]);
        assert_eq!(leaving("cyclic onto 1", 0, 7..60, 7), []);
    }

    #[test]
    fn short_runs_that_stay_go_with_the_rest() {
        assert_eq!(leaving("cyclic(5) onto 2", 0, 0..60, 6), [(0, 60)]);
        assert_eq!(leaving("cyclic(10) onto 2", 0, 5..60, 6), [(5, 20), (30, 40), (50, 60)]);
        assert_eq!(leaving("cyclic onto 2", 1, 7..60, 2), [(7, 60)]);
    }

    /// The parts visited and the runs between are the whole range. Each element between is shared.
    #[test]
    fn all_between_shared_runs_is_visited_once_in_order() {
        let sides = [
            ("cyclic(6) onto 3", "cyclic(10) onto 3"),
            ("cyclic(3) onto 2 of [130] at [7]", "cyclic(5) onto 2"),
            ("gen_block([30, 0, 90]) onto 3", "cyclic(7) onto 3"),
        ];
        for (from, to) in sides {
            let plan = AnyPlan::from(Plan::<1>::parse([120], from, to).unwrap());
            for (rank, start, len, least) in
                (0..3).flat_map(|rank| (0..30).map(move |n| (rank, n, 3 * n + 1, n % 5 + 1)))
            {
                let Some(stays) = stays(&plan, rank) else { continue };
                let axis = plan.axis(0);
                let (source, there) = (axis.side(Side::Source), axis.side(Side::Destination));
                let own = source.owned_below(rank, axis.len());
                let first = source.local_from(rank, 0);
                let indices = first + start.min(own)..first + (start + len).min(own);
                let stays_here = |index: usize| {
                    let global = source.deal().global(rank, index).unwrap() - source.at();
                    there.owner(global) == rank
                };
                let mut next = indices.start;
                stays[0].for_each_between(indices.clone(), least, &mut |part| {
                    assert!(next <= part.start && part.end <= indices.end && !part.is_empty());
                    assert!((next..part.start).all(stays_here), "{from} {to} {rank} {part:?}");
                    next = part.end;
                });
                assert!((next..indices.end).all(stays_here), "{from} {to} {rank} {indices:?}");
                assert_eq!(
                    stays[0].count_in(indices.clone()),
                    indices.filter(|i| stays_here(*i)).count()
                );
            }
        }
    }
}
