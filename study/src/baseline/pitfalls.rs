//! PITFALLS: the families of all remote ranks at once, in closed form.

use super::regular::{Blocks, OwnBlock, Regular};
use super::{Intersection, Operations, Segments};
use redist::plan::Axis;

/// Processor indexed tagged families of line segments (Ramaswamy, Banerjee).
///
/// The family of one rank, and the displacement from rank to rank, stand for the destination's
/// blocks. The ranks of one round that meet an own block are a range in closed form: a set-up.
/// Comparisons are the pieces of one period.
#[derive(Clone, Copy, Debug)]
pub struct Pitfalls;

impl Intersection for Pitfalls {
    fn name(&self) -> &'static str {
        "PITFALLS"
    }

    fn intersect(&self, axis: &Axis, rank: usize, found: &mut Vec<Segments>) -> Operations {
        let line = Regular::of(axis);
        let (Blocks { block, round, .. }, period) = (line.destination, line.period());
        let repetitions = line.repetitions(period);
        let mut operations = Operations::default();
        found.clear();
        for own in line.own_blocks(rank, period) {
            let number = own.start / round;
            let (mut first, mut local) = (number * round, number * block);
            while first < own.end {
                operations.set_ups += 1;
                for (relative, start) in ranks_that_meet(line.destination, first, own) {
                    operations.comparisons += 1;
                    let (from, to) =
                        (own.start.max(start), own.end.min(start.saturating_add(block)));
                    let offsets = (own.local + (from - own.start), local + (from - start));
                    let peer = line.destination.coordinate(relative);
                    found.push(repetitions.family(from, to - from, peer, offsets));
                }
                (first, local) = (first.saturating_add(round), local.saturating_add(block));
            }
        }
        operations
    }
}

/// Returns the ranks whose blocks of a round reach into an own block, and where these begin. Of the
/// ranks from `floor((start - first - t) / t) + 1` on, they are the ranks that begin before it
/// ends;
/// `t` is the displacement from rank to rank.
#[inline]
fn ranks_that_meet(
    Blocks { block, ranks, .. }: Blocks,
    first: usize,
    own: OwnBlock,
) -> impl Iterator<Item = (usize, usize)> + use<> {
    let skipped = own.start.saturating_sub(first) / block;
    let mut next = first + skipped * block;
    (skipped..ranks).map_while(move |relative| {
        let start = next;
        next = next.saturating_add(block);
        (start < own.end).then_some((relative, start))
    })
}
