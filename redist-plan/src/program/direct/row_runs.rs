//! Runs along rows, between all coordinates of both grids.

use super::strided_copy::Spacing;
use crate::arithmetic::{max, min};
use crate::plan::{Axis, Section, Side};
use crate::program::MAX_STEP_ELEMENTS;
use core::ops::Range;

/// The runs along one dimension in increasing index, between all coordinates of both grids, or to
/// one. Memory is for one period, or for one round if one side's block size divides the second
/// side's.
#[derive(Clone, Debug, Default)]
pub struct RowRuns {
    runs: Vec<Run>,
    spans: Vec<RoundSpan>,
    /// Regions of one period, in increasing index.
    regions: Vec<Region>,
    /// Indices in a period.
    period: usize,
    /// Increment of local indices per period.
    step: (usize, usize),
    /// Indices of the dimension.
    len: usize,
    /// `true` if a round is a period.
    by_period: bool,
    /// Coordinates that runs come from, and coordinates that runs go to.
    coordinates: [Vec<usize>; 2],
}

/// Elements that lie together in both local arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Local index of the first element in the source, from the start of the round.
    pub source: u32,
    /// Local index of the first element in the destination, from the start of the round.
    pub destination: u32,
    /// Number of elements.
    pub len: u32,
    /// Index of the first element, from the start of the round.
    start: u32,
    /// The source's coordinate, as an index into [`coordinates`](RowRuns::coordinates).
    pub from: u16,
    /// The destination's coordinate, likewise.
    pub to: u16,
}

/// The range of a round in one local array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundSpan {
    /// The array's coordinate, as an index into [`coordinates`](RowRuns::coordinates).
    pub coordinate: u16,
    /// Local index of the first element.
    pub start: u32,
    /// One past the last local index.
    pub end: usize,
}

/// Part of a period in which some runs repeat.
#[derive(Clone, Debug, Default)]
struct Region {
    /// Index at which the first round begins.
    start: usize,
    /// Indices in a round.
    round: usize,
    /// Number of rounds.
    rounds: usize,
    /// Increment of local indices per round.
    step: (usize, usize),
    /// The runs of a round, as a range of all runs.
    runs: Range<usize>,
    /// The spans of a round by side, as ranges of all spans.
    spans: [Range<usize>; 2],
    /// Elements of every run; 0 if they differ.
    len: usize,
    /// Elements of all runs of a round.
    elements: usize,
    /// The side of [`RepeatedRuns::turns`].
    turns: Option<Side>,
}

/// The same runs `spacing.count` times, each time further on by the spacing in all arrays. Unsafe
/// code relies on the functions below; only this module makes them.
#[derive(Clone, Copy, Debug)]
pub struct RepeatedRuns<'a> {
    runs: &'a [Run],
    spans: [&'a [RoundSpan]; 2],
    /// Elements of every run; 0 if they differ.
    len: usize,
    turns: Option<Side>,
    /// To be added to all local indices.
    pub at: (usize, usize),
    /// Number of rounds, and distances from round to round.
    pub spacing: Spacing,
    /// Elements of all runs of a round.
    pub elements: usize,
}

impl<'a> RepeatedRuns<'a> {
    #[inline(always)]
    pub fn runs(&self) -> &'a [Run] {
        self.runs
    }

    /// Returns the ranges of the first round in the arrays of each side; empty for a single run.
    #[inline(always)]
    pub fn spans(&self) -> [&'a [RoundSpan]; 2] {
        self.spans
    }

    /// Elements of every run; 0 if they differ.
    #[inline(always)]
    pub fn run_len(&self) -> usize {
        self.len
    }

    /// Returns the side, if any, on which all rounds lie together in one array. A round's runs are
    /// then in different arrays of the other side, in the same order every time.
    #[inline(always)]
    pub fn turns(&self) -> Option<Side> {
        self.turns
    }

    #[inline(always)]
    pub fn take_front(&mut self, count: usize) -> Self {
        let Spacing { count: all, source, destination } = self.spacing;
        let (at, count) = (self.at, min(count, all));
        self.at = (at.0 + count * source, at.1 + count * destination);
        self.spacing.count = all - count;
        Self { at, spacing: Spacing { count, ..self.spacing }, ..*self }
    }
}

/// Largest number of coordinates of one side: copies keep a pointer for each.
pub const MAX_COORDINATES: usize = 64;

/// Most runs of a period.
const MAX_RUNS: usize = 1024;

/// Rounds from which runs are listed once for all rounds.
const MIN_ROUNDS: usize = 4;

impl RowRuns {
    /// Finds all runs to one coordinate of the destination or to all. `None` if a period has too
    /// many, or if runs have `long` elements, because these are better copied pair by pair.
    pub fn new(axis: &Axis, here: Option<usize>, long: usize) -> Option<Self> {
        let period = max(axis.period(), 1);
        if axis.len() < long || u32::try_from(period).is_err() {
            return None;
        }
        let (from, to) = (axis.side(Side::Source), axis.side(Side::Destination));
        let step = (period / from.ranks(), period / to.ranks());
        let mut row_runs = Self { period, step, len: axis.len(), ..Self::default() };
        let begins = |index: usize| here.map_or(Some(index), |here| to.next_owned(here, index));
        let mut next = begins(0);
        while let Some(index) = next.filter(|&index| index < period) {
            next = begins(row_runs.push_from(&from, &to, here.is_some(), index)?);
        }
        row_runs.finish(long)
    }

    /// Adds the runs at `index`; returns their end, or `None` if there are too many.
    fn push_from(
        &mut self,
        from: &Section,
        to: &Section,
        to_one: bool,
        index: usize,
    ) -> Option<usize> {
        let end_of = |side: &Section| {
            if side.ranks() == 1 { self.period } else { min(side.block_end(index), self.period) }
        };
        let (source_end, destination_end) = (end_of(from), end_of(to));
        let (end, coarse_end) =
            (min(source_end, destination_end), max(source_end, destination_end));
        let deals_destination = destination_end < source_end;
        let fine = if deals_destination { to } else { from };
        let (len, round) = (end - index, (end - index).saturating_mul(fine.ranks()));
        let is_whole = fine.regular_block() == Some(len) && end < coarse_end;
        // The last round may end after the block of `here`.
        let one = to_one && deals_destination;
        let rounds =
            if one { (coarse_end - index - len) / round + 1 } else { (coarse_end - index) / round };
        if !is_whole || rounds < MIN_ROUNDS {
            self.push_run(from, to, index, len)?;
            return Some(end);
        }
        let step = if deals_destination { (round, len) } else { (len, round) };
        self.regions.push(Region { round, rounds, step, ..self.region(index) });
        for number in 0..if one { 1 } else { fine.ranks() } {
            self.push_run(from, to, index + number * len, len)?;
        }
        let end = if one { index + (rounds - 1) * round + len } else { index + rounds * round };
        self.regions.push(self.region(end));
        Some(end)
    }

    fn region(&self, start: usize) -> Region {
        let runs = self.runs.len()..self.runs.len();
        Region { start, rounds: 1, runs, ..Region::default() }
    }

    fn push_run(&mut self, from: &Section, to: &Section, index: usize, len: usize) -> Option<()> {
        if self.regions.is_empty() {
            self.regions.push(self.region(index));
        }
        let source = number_of(&mut self.coordinates[0], from.owner(index))?;
        let destination = number_of(&mut self.coordinates[1], to.owner(index))?;
        let region = self.regions.last_mut()?;
        self.runs.push(Run {
            source: u32::try_from(from.local(index)).ok()?,
            destination: u32::try_from(to.local(index)).ok()?,
            len: u32::try_from(len).ok()?,
            start: u32::try_from(index - region.start).ok()?,
            from: source,
            to: destination,
        });
        region.runs.end = self.runs.len();
        (self.runs.len() <= MAX_RUNS).then_some(())
    }

    fn finish(mut self, long: usize) -> Option<Self> {
        self.regions.retain(|region| !region.runs.is_empty());
        for region in &mut self.regions {
            let end =
                region.runs.clone().map(|run| self.runs[run].start + self.runs[run].len).max();
            region.round = max(region.round, end.map_or(0, |end| end as usize));
        }
        if let [region] = self.regions.as_mut_slice()
            && region.rounds == 1
            && self.len > self.period
        {
            // Rounds of a whole period each; the last may be partial.
            (region.round, region.rounds, region.step) =
                (self.period, self.len.div_ceil(self.period), self.step);
            self.period = self.len;
            self.by_period = true;
        }
        let mut regions = core::mem::take(&mut self.regions);
        regions.iter_mut().for_each(|region| self.describe(region));
        self.regions = regions;
        let runs: usize = self.regions.iter().map(|region| region.rounds * region.runs.len()).sum();
        let elements: usize =
            self.regions.iter().map(|region| region.rounds * region.elements).sum();
        let stays = |region: &Region| {
            let step = (region.step.0 as u64, region.step.1 as u64);
            region.rounds > 1
                && self.runs[region.runs.clone()]
                    .iter()
                    .any(|run| (u64::from(run.len), u64::from(run.len)) == step)
        };
        (elements / max(runs, 1) < long && !self.regions.iter().any(stays)).then_some(self)
    }

    fn describe(&mut self, region: &mut Region) {
        let runs = &self.runs[region.runs.clone()];
        region.elements = runs.iter().map(|run| run.len as usize).sum();
        let len = runs[0].len;
        region.len = if runs.iter().all(|run| run.len == len) { len as usize } else { 0 };
        for side in [Side::Source, Side::Destination] {
            let first = self.spans.len();
            for run in runs {
                let (coordinate, start) = match side {
                    Side::Source => (run.from, run.source),
                    Side::Destination => (run.to, run.destination),
                };
                let end = start as usize + run.len as usize;
                match self.spans[first..].iter_mut().find(|span| span.coordinate == coordinate) {
                    Some(span) => span.end = max(span.end, end),
                    None => self.spans.push(RoundSpan { coordinate, start, end }),
                }
            }
            region.spans[side as usize] = first..self.spans.len();
        }
        region.turns = self.turns(region);
    }

    fn turns(&self, region: &Region) -> Option<Side> {
        let (runs, len) = (&self.runs[region.runs.clone()], region.len);
        let [senders, receivers] = region.spans.clone().map(|spans| spans.len());
        let follows = |start: fn(&Run) -> u32| {
            runs.windows(2).all(|two| start(&two[1]) - start(&two[0]) == two[0].len)
        };
        if region.rounds < 2 || len == 0 {
            None
        } else if (senders, receivers) == (1, runs.len()) && region.step == (runs.len() * len, len)
        {
            follows(|run| run.source).then_some(Side::Source)
        } else if (senders, receivers) == (runs.len(), 1) && region.step == (len, runs.len() * len)
        {
            follows(|run| run.destination).then_some(Side::Destination)
        } else {
            None
        }
    }
    pub fn coordinates(&self, side: Side) -> &[usize] {
        &self.coordinates[side as usize]
    }

    /// Returns `true` if there is one table, of a period.
    pub fn are_by_period(&self) -> bool {
        self.by_period
    }

    /// Returns `true` if rounds lie together in several source arrays only, in a period too long
    /// for code.
    pub fn are_dealt(&self) -> bool {
        let is_dealt = |region: &Region| region.turns == Some(Side::Source);
        let is_long = self.period > MAX_STEP_ELEMENTS && self.coordinates[0].len() > 1;
        is_long && self.regions.iter().any(is_dealt)
    }

    /// Returns the length of a tile of about `elements` indices: whole periods, if possible.
    pub(super) fn tile(&self, elements: usize) -> usize {
        let whole = match self.regions.as_slice() {
            [region] if region.rounds > 1 => region.round,
            _ if self.period < self.len => self.period,
            _ => 1,
        };
        min(max(elements / whole, 1).saturating_mul(whole), self.len)
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Visits all runs of a range of indices, cut at its ends. Allocates nothing.
    #[inline]
    pub fn for_each(&self, range: Range<usize>, visit: &mut impl FnMut(RepeatedRuns<'_>)) {
        let range = range.start..min(range.end, self.len);
        if range.is_empty() {
            return;
        }
        let periods = match self.period < self.len {
            true => range.start / self.period..range.end.div_ceil(self.period),
            false => 0..1,
        };
        for period in periods {
            let start = period * self.period;
            let within = range.start.saturating_sub(start)..min(range.end - start, self.period);
            let at = (period * self.step.0, period * self.step.1);
            for region in self.regions.iter().take_while(|region| region.start < within.end) {
                self.cut(region, &within, at, visit);
            }
        }
    }

    /// Visits a region's part in a range: the end of a round, whole rounds, the start of a round.
    #[inline]
    fn cut(
        &self,
        region: &Region,
        within: &Range<usize>,
        at: (usize, usize),
        visit: &mut impl FnMut(RepeatedRuns<'_>),
    ) {
        let end = region.start + region.rounds * region.round;
        let (first, whole) = match within.start <= region.start {
            true => (0, 0),
            false if within.start >= end => return,
            false => (
                (within.start - region.start) / region.round,
                (within.start - region.start).div_ceil(region.round),
            ),
        };
        let last = if within.end >= end {
            region.rounds
        } else {
            (within.end - region.start) / region.round
        };
        if first < whole {
            self.cut_round(region, first, within, at, visit);
        }
        if whole < last {
            let at = (at.0 + whole * region.step.0, at.1 + whole * region.step.1);
            visit(self.rounds(region, at, last - whole));
        }
        if last < region.rounds && last >= whole {
            self.cut_round(region, last, within, at, visit);
        }
    }

    fn rounds(&self, region: &Region, at: (usize, usize), count: usize) -> RepeatedRuns<'_> {
        let spans = region.spans.clone().map(|spans| &self.spans[spans]);
        let spacing = Spacing { count, source: region.step.0, destination: region.step.1 };
        let runs = &self.runs[region.runs.clone()];
        RepeatedRuns {
            runs,
            spans,
            at,
            spacing,
            len: region.len,
            elements: region.elements,
            turns: region.turns,
        }
    }

    fn cut_round(
        &self,
        region: &Region,
        round: usize,
        within: &Range<usize>,
        at: (usize, usize),
        visit: &mut impl FnMut(RepeatedRuns<'_>),
    ) {
        let begin = region.start + round * region.round;
        let at = (at.0 + round * region.step.0, at.1 + round * region.step.1);
        for run in &self.runs[region.runs.clone()] {
            let first = begin + run.start as usize;
            let (start, end) =
                (max(first, within.start), min(first + run.len as usize, within.end));
            if start < end {
                // Both differences are within a run.
                let (skipped, len) = ((start - first) as u32, end - start);
                let cut = Run {
                    source: run.source + skipped,
                    destination: run.destination + skipped,
                    len: len as u32,
                    ..*run
                };
                let one = Spacing { count: 1, source: 0, destination: 0 };
                let runs = core::slice::from_ref(&cut);
                visit(RepeatedRuns {
                    runs,
                    spans: [&[], &[]],
                    at,
                    spacing: one,
                    len,
                    elements: len,
                    turns: None,
                });
            }
        }
    }
}

fn number_of(known: &mut Vec<usize>, coordinate: usize) -> Option<u16> {
    let number = known.iter().position(|other| *other == coordinate).unwrap_or_else(|| {
        known.push(coordinate);
        known.len() - 1
    });
    (number < MAX_COORDINATES).then_some(number as u16)
}

#[cfg(test)]
mod tests;
