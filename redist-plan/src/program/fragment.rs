use super::direct::{Spacing, StridedCopy};
use super::message_loops::{Loop, MessageLoops, StridedRuns};
use crate::arithmetic::{max, min};
use core::mem;
use core::ops::Range;

impl MessageLoops {
    pub fn message_len(&self) -> usize {
        self.loops.iter().map(Loop::indices).product::<usize>() * self.unit
    }

    /// Visits the runs of some elements, from the local array to a buffer for them.
    pub fn for_each(&self, elements: Range<usize>, visit: &mut impl FnMut(StridedCopy)) {
        if !elements.is_empty() {
            self.nest(&self.loops, self.message_len(), (self.start, 0), elements, visit);
        }
    }

    /// Visits some of these loops' `len` elements, which begin at `at` on both sides.
    fn nest(
        &self,
        loops: &[Loop],
        len: usize,
        at: (usize, usize),
        elements: Range<usize>,
        visit: &mut impl FnMut(StridedCopy),
    ) {
        let [of, faster @ ..] = loops else { return };
        if faster.is_empty() {
            return self.row(of, at, elements, visit);
        }
        let (len, mut place) = (len / of.indices(), at.1);
        for cut in split(elements, len) {
            of.for_each_index(cut.numbers, &mut |index| {
                self.nest(
                    faster,
                    len,
                    (at.0 + index * of.stride, place),
                    cut.within.clone(),
                    visit,
                );
                place += cut.within.len();
            });
        }
    }

    fn row(
        &self,
        of: &Loop,
        (at, mut place): (usize, usize),
        elements: Range<usize>,
        visit: &mut impl FnMut(StridedCopy),
    ) {
        let period = of.in_period() * self.unit;
        let periodic = period * of.repeats;
        for cut in split(elements.start..min(elements.end, periodic), period) {
            let periods = Spacing {
                count: cut.numbers.len(),
                source: of.period * of.stride,
                destination: period,
            };
            let start = at + cut.numbers.start * periods.source;
            self.stretches(
                of.stride,
                &of.periodic,
                (start, place),
                cut.within.clone(),
                periods,
                visit,
            );
            place += cut.len();
        }
        let rest = max(elements.start, periodic) - periodic..max(elements.end, periodic) - periodic;
        self.stretches(of.stride, &of.rest, (at, place), rest, Spacing::ONE, visit);
    }

    fn stretches(
        &self,
        stride: usize,
        stretches: &[StridedRuns],
        (at, mut place): (usize, usize),
        elements: Range<usize>,
        periods: Spacing,
        visit: &mut impl FnMut(StridedCopy),
    ) {
        let mut before = 0;
        for stretch in stretches {
            let (rows, len) =
                (Rows::new(stretch, stride, self.unit), stretch.len * stretch.count * self.unit);
            let wanted = max(elements.start, before)..min(elements.end, before + len);
            if !wanted.is_empty() {
                let moved = wanted.len();
                let within = wanted.start - before..wanted.end - before;
                rows.visit((at + stretch.start * stride, place), within, periods, visit);
                place += moved;
            }
            before += len;
        }
    }
}

impl Loop {
    fn in_period(&self) -> usize {
        self.periodic.iter().map(|stretch| stretch.len * stretch.count).sum()
    }

    fn indices(&self) -> usize {
        self.in_period() * self.repeats
            + self.rest.iter().map(|stretch| stretch.len * stretch.count).sum::<usize>()
    }

    fn for_each_index(&self, numbers: Range<usize>, visit: &mut impl FnMut(usize)) {
        let period = self.in_period();
        let periodic = period * self.repeats;
        for cut in split(numbers.start..min(numbers.end, periodic), period) {
            for number in cut.numbers {
                of_stretches(&self.periodic, cut.within.clone(), &mut |index| {
                    visit(number * self.period + index)
                });
            }
        }
        let rest = max(numbers.start, periodic) - periodic..max(numbers.end, periodic) - periodic;
        of_stretches(&self.rest, rest, visit);
    }
}

fn of_stretches(stretches: &[StridedRuns], numbers: Range<usize>, visit: &mut impl FnMut(usize)) {
    let mut before = 0;
    for stretch in stretches {
        let len = stretch.len * stretch.count;
        for number in max(numbers.start, before)..min(numbers.end, before + len) {
            let (step, element) =
                ((number - before) / stretch.len, (number - before) % stretch.len);
            visit(stretch.start + step * stretch.spacing + element);
        }
        before += len;
    }
}

#[derive(Clone, Copy)]
struct Rows {
    run: usize,
    runs: (usize, usize),
    rows: (usize, usize),
}

impl Rows {
    /// One run where units lie together, one per unit otherwise.
    fn new(stretch: &StridedRuns, stride: usize, unit: usize) -> Self {
        let rows = (stretch.count, stretch.spacing.saturating_mul(stride));
        match stride == unit {
            true => Self { run: stretch.len * unit, runs: rows, rows: (1, 0) },
            false if stretch.count == 1 => {
                Self { run: unit, runs: (stretch.len, stride), rows: (1, 0) }
            }
            false => Self { run: unit, runs: (stretch.len, stride), rows },
        }
    }

    fn visit(
        self,
        at: (usize, usize),
        elements: Range<usize>,
        periods: Spacing,
        visit: &mut impl FnMut(StridedCopy),
    ) {
        let (row, is_one) = (self.run * self.runs.0, self.rows.0 == 1);
        // With one row, the periods are the rows.
        let (again, rows) = if is_one { (1, periods.count) } else { (periods.count, 1) };
        for number in 0..again {
            let (at, mut place) =
                (at.0 + number * periods.source, at.1 + number * periods.destination);
            for outer in split(elements.clone(), row) {
                for inner in split(outer.within.clone(), self.run) {
                    let (outer_at, inner_at) =
                        (outer.numbers.start * self.rows.1, inner.numbers.start * self.runs.1);
                    let (inner_count, outer_count) = (inner.numbers.len(), outer.numbers.len());
                    let of_rows =
                        Spacing { count: outer_count, source: self.rows.1, destination: row };
                    let of_periods = Spacing { count: rows, ..periods };
                    let mut strided = StridedCopy {
                        source: at + outer_at + inner_at + inner.within.start,
                        destination: place,
                        len: inner.within.len(),
                        inner: Spacing {
                            count: inner_count,
                            source: self.runs.1,
                            destination: self.run,
                        },
                        outer: if is_one { of_periods } else { of_rows },
                    };
                    if strided.outer.count > strided.inner.count {
                        mem::swap(&mut strided.inner, &mut strided.outer);
                    }
                    visit(strided);
                    place += inner.len() * outer_count;
                }
            }
        }
    }
}

struct UnitSlice {
    numbers: Range<usize>,
    within: Range<usize>,
}

impl UnitSlice {
    fn len(&self) -> usize {
        self.numbers.len() * self.within.len()
    }
}

/// Splits a range into a unit's end, whole units, and a unit's start, without empty ones.
fn split(range: Range<usize>, unit: usize) -> impl Iterator<Item = UnitSlice> {
    let (Range { start, end }, unit) = (range, max(unit, 1));
    let whole = start.div_ceil(unit)..end / unit;
    let head_end = min(whole.start * unit, end);
    let tail_start = max(whole.end * unit, head_end);
    let part = |number: usize, start: usize, end: usize| {
        let numbers = number..number + 1;
        UnitSlice { numbers, within: start - number * unit..end - number * unit }
    };
    let slices = [
        (start < head_end).then(|| part(start / unit, start, head_end)),
        (!whole.is_empty()).then(|| UnitSlice { numbers: whole.clone(), within: 0..unit }),
        (tail_start < end).then(|| part(tail_start / unit, tail_start, end)),
    ];
    slices.into_iter().flatten()
}
