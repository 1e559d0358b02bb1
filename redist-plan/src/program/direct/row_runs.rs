mod build;

use super::strided_copy::Spacing;
use crate::arithmetic::{max, min};
use crate::plan::Side;
use crate::program::MAX_STEP_ELEMENTS;
use core::ops::Range;

/// The runs along one dimension in increasing index, between all coordinates of both grids, or to
/// one. Memory is for one period, or one round if blocks of one side divide those of the other.
#[derive(Clone, Debug, Default)]
pub struct RowRuns {
    runs: Vec<Run>,
    spans: Vec<RoundSpan>,
    regions: Vec<Region>,
    period: usize,
    /// Increment of local indices per period.
    step: (usize, usize),
    len: usize,
    by_period: bool,
    coordinates: [Vec<usize>; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub source: u32,
    pub destination: u32,
    pub len: u32,
    /// Index of the first element, from the start of the round.
    start: u32,
    /// The source's coordinate, as an index into [`coordinates`](RowRuns::coordinates).
    pub from: u16,
    pub to: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundSpan {
    pub coordinate: u16,
    pub start: u32,
    pub end: usize,
}

#[derive(Clone, Debug, Default)]
struct Region {
    start: usize,
    round: usize,
    rounds: usize,
    /// Increment of local indices per round.
    step: (usize, usize),
    runs: Range<usize>,
    spans: [Range<usize>; 2],
    len: usize,
    elements: usize,
    turns: Option<Side>,
}

/// The same runs `spacing.count` times, each time further on by the spacing in all arrays. Unsafe
/// code relies on the functions below; only this module makes them.
#[derive(Clone, Copy, Debug)]
pub struct RepeatedRuns<'a> {
    runs: &'a [Run],
    spans: [&'a [RoundSpan]; 2],
    len: usize,
    turns: Option<Side>,
    /// To be added to all local indices.
    pub at: (usize, usize),
    pub spacing: Spacing,
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

impl RowRuns {
    pub fn coordinates(&self, side: Side) -> &[usize] {
        &self.coordinates[side as usize]
    }

    /// Returns `true` if there is one table, of a period.
    pub fn are_by_period(&self) -> bool {
        self.by_period
    }

    /// Returns `true` if rounds lie together in several source arrays alone, in a period too long for
    /// code.
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

#[cfg(test)]
mod tests;
