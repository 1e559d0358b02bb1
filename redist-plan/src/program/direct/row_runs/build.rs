use super::{MAX_COORDINATES, Region, RoundSpan, RowRuns, Run};
use crate::arithmetic::{max, min};
use crate::plan::{Axis, Section, Side};

const MAX_RUNS: usize = 1024;

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
}

impl RowRuns {
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
}

fn number_of(known: &mut Vec<usize>, coordinate: usize) -> Option<u16> {
    let number = known.iter().position(|other| *other == coordinate).unwrap_or_else(|| {
        known.push(coordinate);
        known.len() - 1
    });
    (number < MAX_COORDINATES).then_some(number as u16)
}
