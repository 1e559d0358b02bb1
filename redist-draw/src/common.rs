//! Lists the elements that two ranks share along a dimension.

use redist_plan::plan::Side;
use redist_plan::plan::{Axis, Section};
use std::ops::Range;

/// After so many steps of both cursors, ranks count as sharing nothing.
const MAX_ROUNDS: usize = 1 << 20;

/// Lists the pieces of `range` on both coordinates of `pair`: each side's cursor jumps to its next
/// element from the opposite cursor (ScaLAPACK's scan).
pub fn pieces(
    axis: &Axis,
    pair: (usize, usize),
    range: Range<usize>,
) -> impl Iterator<Item = Range<usize>> {
    let (source, destination) = (axis.side(Side::Source), axis.side(Side::Destination));
    let mut index = range.start;
    std::iter::from_fn(move || {
        for _ in 0..MAX_ROUNDS {
            let here = next(&source, pair.0, index, range.end)?;
            index = next(&destination, pair.1, here, range.end)?;
            if index == here {
                let end = source.block_end(here).min(destination.block_end(here)).min(range.end);
                index = end;
                return Some(here..end);
            }
        }
        None
    })
}

fn next(section: &Section, rank: usize, index: usize, end: usize) -> Option<usize> {
    if index >= end {
        return None;
    }
    section.next_owned(rank, index).filter(|next| *next < end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use redist_plan::plan::Plan;

    #[test]
    fn pieces_are_aspen_s() {
        let cases = [
            (72, "cyclic(4) onto 3", "cyclic(6) onto 2"),
            (55, "cyclic(7) onto 4 first 2", "cyclic(3) onto 5 of 90 at 11"),
            (40, "gen_block([9, 0, 31]) onto 3", "block onto 4"),
            (40, "rows([3, 7, 20, 10], cyclic) onto 3", "points([3, 7, 20, 10]) onto 4 first 1"),
        ];
        for (extent, from, to) in cases {
            let axis = Plan::parse([extent], from, to).unwrap().axis(0);
            for source in 0..axis.side(Side::Source).ranks() {
                for destination in 0..axis.side(Side::Destination).ranks() {
                    let found: Vec<_> = pieces(&axis, (source, destination), 0..extent).collect();
                    let mine =
                        axis.aspen(Side::Source, source).filter(|piece| piece.peer == destination);
                    assert_eq!(
                        found.len(),
                        mine.map(|piece| piece.count).sum::<usize>(),
                        "{from} {to}"
                    );
                    let elements: usize = found.iter().map(Range::len).sum();
                    assert_eq!(elements, axis.count(source, destination));
                }
            }
        }
    }

    #[test]
    fn ranks_that_never_meet_are_given_up() {
        let axis = Plan::parse([isize::MAX as usize], "cyclic onto 1000000", "cyclic onto 1000000")
            .unwrap()
            .axis(0);
        assert_eq!(pieces(&axis, (0, 1), 0..axis.len()).next(), None);
        assert_eq!(
            pieces(&axis, (999_999, 999_999), 0..axis.len()).next(),
            Some(999_999..1_000_000)
        );
    }
}
