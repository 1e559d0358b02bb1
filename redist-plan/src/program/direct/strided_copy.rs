//! Evenly spaced runs in two local arrays.

use crate::arithmetic::{max, min};
use crate::plan::Side;
use core::ops::Range;

/// Runs of `len` elements, evenly spaced in rows and columns in both local arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StridedCopy {
    /// Local index of the first run in the source.
    pub source: usize,
    /// Local index of the first run in the destination.
    pub destination: usize,
    /// Elements of each run.
    pub len: usize,
    /// Runs of a row: the inner loop.
    pub inner: Spacing,
    /// Rows: the outer loop.
    pub outer: Spacing,
}

/// A number of evenly spaced places. Distances are in elements, if not said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spacing {
    /// Number of places.
    pub count: usize,
    /// Distance from start to start in the source.
    pub source: usize,
    /// Distance from start to start in the destination.
    pub destination: usize,
}

impl Spacing {
    /// A single place.
    pub const ONE: Self = Self { count: 1, source: 0, destination: 0 };

    #[inline]
    fn of(self, side: Side) -> usize {
        match side {
            Side::Source => self.source,
            Side::Destination => self.destination,
        }
    }
}

/// Runs of a row from which the overhead of its loop is negligible.
const MIN_INNER_RUNS: usize = 12;

impl StridedCopy {
    #[inline]
    pub fn run(source: usize, destination: usize, len: usize) -> Self {
        Self { source, destination, len, inner: Spacing::ONE, outer: Spacing::ONE }
    }

    /// Returns the copy of the next `len` elements of a message to places `stride` apart from `at` on.
    #[inline]
    pub fn evenly(at: usize, len: usize, stride: usize) -> Self {
        let inner = Spacing { count: len, source: 1, destination: stride };
        match stride {
            1 => Self::run(0, at, len),
            _ => Self { inner, ..Self::run(0, at, 1) },
        }
    }

    #[inline]
    pub fn elements(&self) -> usize {
        self.len * self.inner.count * self.outer.count
    }

    pub fn shifted(self, source: usize, destination: usize) -> Self {
        Self { source: self.source + source, destination: self.destination + destination, ..self }
    }

    #[inline]
    pub fn reversed(self) -> Self {
        let reversed = |spacing: Spacing| Spacing {
            source: spacing.destination,
            destination: spacing.source,
            ..spacing
        };
        Self {
            source: self.destination,
            destination: self.source,
            inner: reversed(self.inner),
            outer: reversed(self.outer),
            ..self
        }
    }

    pub fn runs(self) -> impl Iterator<Item = (usize, usize)> {
        let Self { source, destination, inner, outer, .. } = self;
        (0..outer.count).flat_map(move |row| {
            let (source, destination) =
                (source + row * outer.source, destination + row * outer.destination);
            (0..inner.count).map(move |run| {
                (source + run * inner.source, destination + run * inner.destination)
            })
        })
    }

    fn part(self, first: usize, count: usize) -> Self {
        let inner = if count == 1 { Spacing::ONE } else { Spacing { count, ..self.inner } };
        Self { inner, ..self.shifted(first * self.inner.source, first * self.inner.destination) }
    }

    fn within(self, number: usize, elements: Range<usize>) -> Self {
        Self { len: elements.len(), ..self.part(number, 1).shifted(elements.start, elements.start) }
    }

    #[inline]
    pub(super) fn start(&self, side: Side) -> usize {
        match side {
            Side::Source => self.source,
            Side::Destination => self.destination,
        }
    }

    #[inline]
    pub(super) fn end(&self, side: Side) -> usize {
        self.start(side) + (self.inner.count - 1) * self.inner.of(side) + self.len
    }

    /// Visits a single row's part in `range` of one side: a run's end, whole runs, a run's start.
    pub(super) fn cut(self, side: Side, range: &Range<usize>, visit: &mut impl FnMut(Self)) {
        let begin = self.start(side);
        if begin >= range.start && self.end(side) <= range.end {
            return visit(self);
        }
        let (len, count) = (self.len, self.inner.count);
        let spacing = max(self.inner.of(side), len);
        let start = |number: usize| begin + number * spacing;
        let before = range.start.saturating_sub(begin);
        let first = min(before.div_ceil(spacing), count);
        if first > 0 {
            let (run, end) = (start(first - 1), min(range.end, start(first - 1) + len));
            if run + len > range.start && end > range.start {
                visit(self.within(first - 1, range.start - run..end - run));
            }
        }
        let room = range.end.saturating_sub(begin);
        let last = if room < len { 0 } else { min((room - len) / spacing + 1, count) };
        if first < last {
            visit(self.part(first, last - first));
        }
        let tail = max(first, last);
        if tail < count && start(tail) < range.end {
            visit(self.within(tail, 0..range.end - start(tail)));
        }
    }

    /// Repeats a single row `count` times, shifted by `step`. The inner loop is the nearer, if
    /// long.
    pub(super) fn repeated(self, count: usize, step: (usize, usize)) -> Self {
        let rows = Spacing { count, source: step.0, destination: step.1 };
        if self.inner.count >= min(count, MIN_INNER_RUNS) {
            Self { outer: rows, ..self }
        } else {
            Self { inner: rows, outer: self.inner, ..self }
        }
    }
}

/// Single rows, each joined to the one before if possible.
#[derive(Debug, Default)]
pub(super) struct Joined(pub Vec<StridedCopy>);

impl Joined {
    pub fn push(&mut self, mut next: StridedCopy) {
        if next.inner.count > 1
            && (next.inner.source, next.inner.destination) == (next.len, next.len)
        {
            next = StridedCopy::run(next.source, next.destination, next.len * next.inner.count);
        }
        let Some(last) = self.0.last_mut() else { return self.0.push(next) };
        let step = (next.source - last.source, next.destination - last.destination);
        if last.inner.count == 1 && next.inner.count == 1 && step == (last.len, last.len) {
            last.len += next.len;
            return;
        }
        let spacing = |strided: &StridedCopy| (strided.inner.source, strided.inner.destination);
        let even = if last.inner.count == 1 { step } else { spacing(last) };
        let follows = step == (even.0 * last.inner.count, even.1 * last.inner.count);
        if last.len == next.len && follows && (next.inner.count == 1 || spacing(&next) == even) {
            let count = last.inner.count + next.inner.count;
            last.inner = Spacing { count, source: even.0, destination: even.1 };
        } else {
            self.0.push(next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(len: usize, count: usize, source: usize, destination: usize) -> StridedCopy {
        StridedCopy { inner: Spacing { count, source, destination }, ..StridedCopy::run(2, 5, len) }
    }

    #[test]
    fn runs_are_joined_where_they_touch_or_go_on_evenly() {
        let mut joined = Joined::default();
        for (source, destination, len) in
            [(0, 0, 2), (2, 2, 3), (10, 5, 5), (20, 10, 5), (31, 15, 5), (36, 20, 1)]
        {
            joined.push(StridedCopy::run(source, destination, len));
        }
        let even = StridedCopy {
            inner: Spacing { count: 3, source: 10, destination: 5 },
            ..StridedCopy::run(0, 0, 5)
        };
        assert_eq!(joined.0, [even, StridedCopy::run(31, 15, 6)]);
    }

    #[test]
    fn the_longer_loop_is_inside() {
        let of = |count| row(1, 4, 3, 1).repeated(count, (20, 30));
        let periods = |count| Spacing { count, source: 20, destination: 30 };
        assert_eq!((of(3).inner.count, of(3).outer), (4, periods(3)));
        assert_eq!((of(5).inner, of(5).outer.count), (periods(5), 4));
        assert_eq!(of(3).elements(), 12);
    }
}
