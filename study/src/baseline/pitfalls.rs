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
        let family = Family::of(&line.destination);
        let period = line.period();
        let repetitions = line.repetitions(period);
        let mut operations = Operations::default();
        found.clear();
        for own in line.own_blocks(rank, period) {
            let mut round = family.round_of(own.start);
            while round.start < own.end {
                operations.set_ups += 1;
                for segment in family.ranks_that_meet(round, own) {
                    operations.comparisons += 1;
                    let (start, end) = (own.start.max(segment.start), own.end.min(segment.end));
                    let offsets =
                        (own.local + (start - own.start), round.local + (start - segment.start));
                    let peer = line.destination.coordinate(segment.relative);
                    found.push(repetitions.family(start, end - start, peer, offsets));
                }
                round = family.next_round(round);
            }
        }
        operations
    }
}

/// Round `j` of rank `q` is `len` elements from `q displacement + j stride` on.
#[derive(Clone, Copy)]
struct Family {
    len: usize,
    stride: usize,
    displacement: usize,
    ranks: usize,
}

#[derive(Clone, Copy)]
struct Round {
    start: usize,
    local: usize,
}

struct Segment {
    relative: usize,
    start: usize,
    end: usize,
}

impl Family {
    fn of(blocks: &Blocks) -> Self {
        Self {
            len: blocks.block,
            stride: blocks.round,
            displacement: blocks.block,
            ranks: blocks.ranks,
        }
    }

    fn round_of(&self, index: usize) -> Round {
        let number = index / self.stride;
        Round { start: number * self.stride, local: number * self.len }
    }

    fn next_round(&self, round: Round) -> Round {
        Round {
            start: round.start.saturating_add(self.stride),
            local: round.local.saturating_add(self.len),
        }
    }

    /// Returns the segments that reach into an own block: of the ranks from `floor((start - round -
    /// len) / displacement) + 1` on, those that begin before it ends. `len` is the displacement.
    #[inline]
    fn ranks_that_meet(
        &self,
        round: Round,
        own: OwnBlock,
    ) -> impl Iterator<Item = Segment> + use<> {
        let first = own.start.saturating_sub(round.start) / self.displacement;
        let (displacement, len, end) = (self.displacement, self.len, own.end);
        let mut start = round.start + first * displacement;
        (first..self.ranks).map_while(move |relative| {
            let segment = Segment { relative, start, end: start.saturating_add(len) };
            start = start.saturating_add(displacement);
            (segment.start < end).then_some(segment)
        })
    }
}
