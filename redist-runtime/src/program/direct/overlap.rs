//! What one coordinate of the source and one of the destination share along one dimension, folded to one period.

use super::lattice::{Joined, Lattice, Spacing};
use crate::arithmetic::{max, min};
use crate::plan::{Axis, Section, Side};
use crate::program::cursor::Cursor;
use core::ops::Range;

/// What two coordinates share along one dimension: the runs of one period, repeated, then what is left.
///
/// Takes memory for the runs of one period; evenly spaced runs count as one.
#[derive(Clone, Debug)]
pub struct Overlap {
    /// Coordinate in the source's grid.
    pub(crate) source: usize,
    /// Coordinate in the destination's grid.
    pub(crate) destination: usize,
    periodic: Vec<Lattice>,
    repeats: usize,
    /// What a period adds to both local indices.
    step: (usize, usize),
    rest: Vec<Lattice>,
    /// Local indices where the moved section begins.
    start: (usize, usize),
    to: Section,
}

/// What of an [`Overlap`] lies in a part of the dimension.
#[derive(Clone, Debug)]
pub(super) struct Part {
    side: Side,
    /// In that side's local index.
    range: Range<usize>,
    whole: Range<usize>,
    /// Periods that are cut by the range's ends.
    cut: [Option<usize>; 2],
}

impl Overlap {
    /// What these two coordinates share.
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
        };
        overlap.join_repetitions();
        overlap
    }

    /// Where a period is one row that the next period continues, all periods are.
    fn join_repetitions(&mut self) {
        let [row] = self.periodic.as_slice() else { return };
        let mut joined = Joined::default();
        joined.push(*row);
        joined.push(row.shifted(self.step.0, self.step.1));
        if let [both] = joined.0.as_slice() {
            let all = match both.inner.count {
                1 => Lattice { len: row.len * self.repeats, ..*row },
                _ => Lattice { inner: Spacing { count: row.inner.count * self.repeats, ..both.inner }, ..*row },
            };
            self.rest.insert(0, all);
            (self.periodic, self.repeats) = (Vec::new(), 0);
        }
    }

    /// What of it lies in a part of the dimension; `None` where the destination holds nothing of that.
    pub(super) fn part(&self, elements: &Range<usize>) -> Option<Part> {
        let local = |index| self.to.local_from(self.destination, index);
        self.part_of(Side::Destination, local(elements.start)..local(elements.end))
    }

    /// What of it lies in a range of one side's local indices; `None` where the range is empty.
    pub(super) fn part_of(&self, side: Side, range: Range<usize>) -> Option<Part> {
        if range.is_empty() {
            return None;
        }
        let (start, step) = match side {
            Side::Source => (self.start.0, self.step.0),
            Side::Destination => (self.start.1, self.step.1),
        };
        let mut part = Part { side, range, whole: 0..0, cut: [None; 2] };
        let first = part.range.start.saturating_sub(start);
        let last = min(part.range.end.saturating_sub(start), self.repeats * step);
        if first < last {
            part.whole = first.div_ceil(step)..last / step;
            part.cut[0] = (!first.is_multiple_of(step)).then_some(first / step);
            part.cut[1] =
                (!last.is_multiple_of(step)).then_some(last / step).filter(|&period| Some(period) != part.cut[0]);
        }
        Some(part)
    }

    /// Everything in that part, period by period or run by run.
    #[inline]
    pub(super) fn for_each(&self, part: &Part, visit: &mut impl FnMut(Lattice)) {
        let shifted = |lattice: &Lattice, period| lattice.shifted(period * self.step.0, period * self.step.1);
        for period in part.cut.into_iter().flatten() {
            self.periodic.iter().for_each(|lattice| shifted(lattice, period).cut(part.side, &part.range, visit));
        }
        if !part.whole.is_empty() {
            let rows = |lattice| shifted(lattice, part.whole.start).repeated(part.whole.len(), self.step);
            self.periodic.iter().for_each(|lattice| visit(rows(lattice)));
        }
        let begun = self.rest.partition_point(|lattice| lattice.end(part.side) <= part.range.start);
        let in_range = self.rest[begun..].iter().take_while(|lattice| lattice.start(part.side) < part.range.end);
        in_range.for_each(|lattice| lattice.cut(part.side, &part.range, visit));
    }
}

/// What the two coordinates share of some elements, in increasing index.
///
/// Each side's cursor jumps to its next block (ScaLAPACK's scan); whole blocks of one side inside a block of the other
/// are found in closed form.
fn shared(axis: &Axis, source: usize, destination: usize, elements: Range<usize>) -> Vec<Lattice> {
    let (from, to) = (axis.side(Side::Source), axis.side(Side::Destination));
    let (mut here, mut there) =
        (Cursor::new(&from, source, elements.start), Cursor::new(&to, destination, elements.start));
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
        joined.push(Lattice::run(here.local_from(index), there.local_from(index), end - index));
        index = end;
        let destination_is_finer = there.end < here.end;
        let (coarse, fine) = if destination_is_finer { (&here, &mut there) } else { (&there, &mut here) };
        fine.seek(index);
        let (count, len, round) = fine.whole_below(min(coarse.end, elements.end));
        if count > 1 {
            let (finer, coarser) = (fine.local_from(fine.start), coarse.local_from(fine.start));
            let (source, destination, inner) = match destination_is_finer {
                true => (coarser, finer, Spacing { count, source: round, destination: len }),
                false => (finer, coarser, Spacing { count, source: len, destination: round }),
            };
            joined.push(Lattice { inner, ..Lattice::run(source, destination, len) });
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

    fn visited(overlap: &Overlap, elements: Range<usize>) -> Vec<Lattice> {
        let mut visited = Vec::new();
        overlap.for_each(&overlap.part(&elements).unwrap(), &mut |lattice| visited.push(lattice));
        visited
    }

    fn spacing(count: usize, source: usize, destination: usize) -> Spacing {
        Spacing { count, source, destination }
    }

    #[test]
    fn evenly_spaced_runs_are_one_however_many() {
        let gather = overlap(5_120_000, "block onto 4", "cyclic onto 4", (1, 2));
        let row = |count| Lattice { inner: spacing(count, 4, 1), ..Lattice::run(2, 320_000, 1) };
        assert_eq!((gather.periodic.as_slice(), gather.rest.as_slice()), (&[][..], &[row(320_000)][..]));
        assert_eq!(visited(&gather, 1_280_000..1_280_400), [row(100)]);
    }

    #[test]
    fn short_periods_are_taken_many_at_a_time() {
        let short = overlap(5_120_000, "cyclic(10) onto 4", "cyclic(2) onto 4", (0, 0));
        let periods = Lattice { inner: spacing(90, 10, 10), outer: spacing(2, 8, 2), ..Lattice::run(100, 100, 2) };
        assert_eq!(visited(&short, 400..4000), [periods]);
        let long = overlap(5_120_000, "cyclic(200) onto 4", "cyclic(2) onto 4", (0, 0));
        let periods = Lattice { inner: spacing(25, 8, 2), outer: spacing(3, 200, 200), ..Lattice::run(0, 0, 2) };
        assert_eq!(visited(&long, 0..2400), [periods]);
    }

    #[test]
    fn what_never_leaves_its_rank_is_one_run() {
        let stays = overlap(1000, "cyclic(2) onto 4", "cyclic(2) onto 4", (1, 1));
        assert_eq!(visited(&stays, 0..1000), [Lattice::run(0, 0, 250)]);
    }
}
