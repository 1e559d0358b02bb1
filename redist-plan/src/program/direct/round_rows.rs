use super::chunks::{Chunks, share_of_period};
use super::row_program::{RowDim, RowProgram, RowsBetween, SIDES};
use super::tiles::Walk;
use crate::arithmetic::{max, min};
use crate::plan::Side;
use core::ops::Range;

impl RowProgram {
    /// Returns `true` if chunks of a number are one part of the same rows: all, or whole periods.
    pub fn is_cut_by(&self, chunks: &Chunks) -> bool {
        let (dimension, axis) = &self.row;
        let (cut, share) = (chunks.cut(*dimension), share_of_period(axis));
        let has_periods = share.is_some_and(|share| cut.extent.is_multiple_of(share));
        cut.whole || axis.side(Side::Source).at() == 0 && (cut.boxes == 1 || has_periods)
    }

    /// Visits the copies from chunks with this `number`, in which the source's places count.
    pub fn for_each_of_round(
        &self,
        walk: &mut Walk,
        (chunks, number): (&Chunks, usize),
        copy: &mut impl FnMut(RowsBetween<'_>),
    ) {
        let ((dimension, axis), depth) = (self.row, self.dims.len());
        let cut = chunks.cut(dimension);
        let (mut elements, mut further) = (0..axis.len(), 0);
        if cut.boxes > 1 {
            let [from, to] = SIDES.map(|side| axis.side(side));
            let period = axis.period();
            let periods = cut.extent / (period / from.ranks());
            let before = cut.box_of(number) * periods;
            elements.end = min(periods.saturating_mul(period), axis.len() - before * period);
            further = before * (period / to.ranks());
        }
        walk.tile[depth] = elements;
        self.of_round(walk, (chunks, number), (0, further), copy);
    }

    fn of_round(
        &self,
        walk: &mut Walk,
        shown: (&Chunks, usize),
        (depth, further): (usize, usize),
        copy: &mut impl FnMut(RowsBetween<'_>),
    ) {
        let Some(dim) = self.dims.get(depth) else { return self.rows(walk, (1, further), copy) };
        let from = dim.axis.side(Side::Source);
        for sender in 0..from.ranks() {
            let first = from.local_from(sender, 0);
            let local = shown.0.indices(shown.1, dim.dimension, first);
            let mut left = dim.indices(sender, &local);
            while let Some(index) = dim.next_shared(sender, &left) {
                let ends = SIDES.map(|side| dim.axis.side(side).block_end(index));
                left.start = min(min(ends[0], ends[1]), left.end);
                walk.positions[depth] = dim.places(index);
                walk.positions[depth][0].local -= local.start;
                if depth + 1 == self.dims.len() {
                    self.rows(walk, (left.start - index, further), copy);
                    continue;
                }
                for _ in index..left.start {
                    self.of_round(walk, shown, (depth + 1, further), copy);
                    walk.positions[depth].iter_mut().for_each(|place| place.local += 1);
                }
            }
        }
    }
}

impl RowDim {
    fn indices(&self, sender: usize, local: &Range<usize>) -> Range<usize> {
        let from = self.axis.side(Side::Source);
        let (first, end) = (from.local_from(sender, 0), from.local_from(sender, self.axis.len()));
        let local = max(local.start, first)..min(local.end, end);
        let index = |local| from.deal().global(sender, local).map(|global| global - from.at());
        match local.end.checked_sub(1).filter(|_| !local.is_empty()) {
            Some(last) => index(local.start).unwrap_or(0)..index(last).map_or(0, |last| last + 1),
            None => 0..0,
        }
    }

    fn next_shared(&self, sender: usize, indices: &Range<usize>) -> Option<usize> {
        let [from, to] = SIDES.map(|side| self.axis.side(side));
        let mut index = indices.start;
        while index < indices.end {
            let sent = from.next_owned(sender, index)?;
            let shared = self.here.map_or(Some(sent), |here| to.next_owned(here, sent))?;
            if shared == sent {
                return Some(sent).filter(|index| indices.contains(index));
            }
            index = shared;
        }
        None
    }
}
