//! The drawn part of a dimension, and its blocks: extents reach 2^63 - 1, pictures do not.

use super::number::{counted, grouped};
use redist_plan::plan::Side;
use redist_plan::plan::{Axis, Section};
use std::ops::Range;

/// The drawn part of a dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnRegion {
    /// Indices of the part.
    pub range: Range<usize>,
    /// Indices of the whole dimension.
    pub of: usize,
}

impl DrawnRegion {
    /// Takes up to `most` blocks of a side from `start` on: whole periods, else windows.
    pub fn of_axis(axis: &Axis, start: usize, most: usize) -> Self {
        let end = |side| after_blocks(&axis.side(side), start, axis.len(), most);
        let end = end(Side::Source).min(end(Side::Destination));
        let whole = |unit: usize| (end - start) / unit.max(1) * unit;
        let drawn = match (end == axis.len(), whole(axis.period()), whole(axis.window())) {
            (true, ..) | (false, 0, 0) => end - start,
            (false, 0, windows) => windows,
            (false, periods, _) => periods,
        };
        Self { range: start..start + drawn, of: axis.len() }
    }

    pub fn is_cut(&self) -> bool {
        self.range.len() < self.of
    }

    pub fn note(&self) -> String {
        let all = counted(self.of as u128, "element");
        let [start, end] = [self.range.start, self.range.end].map(|index| grouped(index as u128));
        match (self.is_cut(), self.range.start) {
            (false, _) => all,
            (true, 0) => format!("first {end} of {all}"),
            (true, _) => format!("elements {start}..{end} of {all}"),
        }
    }
}

/// Returns the end of `most` blocks that are not empty, from that of `start` on.
fn after_blocks(section: &Section, start: usize, len: usize, most: usize) -> usize {
    let (mut block, mut end) = (section.block_at(start), start);
    for _ in 0..most {
        if end >= len {
            break;
        }
        block = section.block_from(block, end);
        end = section.end_of(block);
    }
    end.min(len)
}

/// Neighbouring indices on one coordinate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The indices.
    pub range: Range<usize>,
    /// The coordinate.
    pub coordinate: usize,
    /// `true` if a round of the deal begins with the span.
    pub begins_round: bool,
}

pub fn blocks(section: &Section, range: Range<usize>) -> Vec<Span> {
    let (mut spans, mut index) = (Vec::new(), range.start);
    let mut block = section.block_at(index);
    while index < range.end {
        block = section.block_from(block, index);
        let end = section.end_of(block).min(range.end);
        let begins_round = block.number.is_multiple_of(section.ranks());
        spans.push(Span {
            range: index..end,
            coordinate: section.deal().owner_of_block(block.number),
            begins_round,
        });
        index = end;
    }
    spans
}

pub fn number_of_blocks(section: &Section, len: usize) -> Option<usize> {
    let block = section.regular_block()?;
    Some((section.phase() + len).div_ceil(block))
}

#[cfg(test)]
mod tests {
    use super::*;
    use redist_plan::layout::MAX_EXTENT;
    use redist_plan::plan::Plan;

    fn axis(extent: usize, from: &str, to: &str) -> Axis {
        Plan::parse([extent], from, to).unwrap().axis(0)
    }

    #[test]
    fn whole_periods_are_drawn_if_they_fit() {
        let drawn = |axis: &Axis, most| DrawnRegion::of_axis(axis, 0, most).range.end;
        let line = axis(1003, "cyclic(4) onto 3", "cyclic(6) onto 2");
        assert_eq!(
            (drawn(&line, 1000), drawn(&line, 10), drawn(&line, 5), drawn(&line, 2)),
            (1003, 36, 12, 8)
        );
        let huge = axis(MAX_EXTENT, "cyclic(4) onto 1000000", "cyclic(6) onto 1000000");
        assert_eq!((drawn(&huge, 64), DrawnRegion::of_axis(&huge, 0, 64).is_cut()), (252, true));
    }

    #[test]
    fn blocks_cover_the_range_and_know_their_owners() {
        for (from, to) in [
            ("cyclic(4) onto 3 of 60 at 5", "gen_block([0, 7, 0, 33]) onto 4"),
            ("block onto 7", "*"),
            ("rows([3, 7, 10 x 2, 7, 3], cyclic(2)) onto 2", "points([3, 7, 10 x 2, 7, 3]) onto 4"),
        ] {
            let line = axis(40, from, to);
            for side in [Side::Source, Side::Destination] {
                let (section, range) = (line.side(side), 3..38);
                let spans = blocks(&section, range.clone());
                assert_eq!(
                    spans.iter().flat_map(|span| span.range.clone()).collect::<Vec<_>>(),
                    range.collect::<Vec<_>>()
                );
                for span in spans {
                    assert!(
                        span.range.clone().all(|index| section.owner(index) == span.coordinate)
                    );
                }
            }
        }
    }

    #[test]
    fn notes_say_how_much_is_left_out() {
        let line = axis(1 << 40, "cyclic(4) onto 3", "cyclic(6) onto 2");
        assert_eq!(DrawnRegion::of_axis(&line, 0, 60).note(), "first 240 of 2⁴⁰ elements");
        assert_eq!(DrawnRegion::of_axis(&line, 24, 10).note(), "elements 24..60 of 2⁴⁰ elements");
        assert_eq!(
            DrawnRegion::of_axis(&axis(10, "cyclic(4) onto 3", "*"), 0, 8).note(),
            "10 elements"
        );
    }
}
