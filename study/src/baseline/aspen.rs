//! ASPEN: one rank's pieces of one period, by walking from block to adjacent block.

use super::cursor::Cursor;
use super::regular::Regular;
use super::walk::shift_through;
use super::{Intersection, Operations, Segments, whole};
use redist::plan::{Axis, Side};

/// Algorithm 4 of Foyer, Tate and McIntosh-Smith, corrected.
///
/// A set-up is the division that finds the destination block in which an own block begins. For
/// sections and gen_blocks, which the paper lacks, [`Axis::aspen`] walks instead.
#[derive(Clone, Copy, Debug)]
pub struct Aspen;

impl Intersection for Aspen {
    fn name(&self) -> &'static str {
        "ASPEN"
    }

    fn applies(&self, _: &Axis) -> Result<(), &'static str> {
        Ok(())
    }

    fn intersect(&self, axis: &Axis, rank: usize, found: &mut Vec<Segments>) -> Operations {
        found.clear();
        if whole(axis).is_err() {
            return walk(axis, rank, found);
        }
        let line = Regular::of(axis);
        let period = line.period();
        let repetitions = line.repetitions(period);
        let mut set_ups = 0;
        for own in line.own_blocks(rank, period) {
            set_ups += 1;
            shift_through(
                &line,
                own,
                Cursor::at(own.start, &line.destination),
                &repetitions,
                found,
            );
        }
        Operations { set_ups, comparisons: found.len() }
    }
}

fn walk(axis: &Axis, rank: usize, found: &mut Vec<Segments>) -> Operations {
    let own = axis.side(Side::Source);
    // The global index of the next piece, and where the own block that it is in ends in the local
    // array.
    let (mut set_ups, mut start, mut local_end) = (0, 0, 0);
    for piece in axis.aspen(Side::Source, rank) {
        if piece.own_offset >= local_end {
            set_ups += 1;
            start = own.deal().global(rank, piece.own_offset).map_or(0, |global| global - own.at());
            local_end = piece.own_offset + (own.block_end(start) - start);
        }
        found.push(Segments {
            start,
            len: piece.len,
            stride: axis.period(),
            count: piece.count,
            last_len: piece.last_len,
            peer: piece.peer,
            source_offset: piece.own_offset,
            destination_offset: piece.peer_offset,
        });
        start += piece.len;
    }
    Operations { set_ups, comparisons: found.len() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redist::Plan;

    #[test]
    fn a_section_is_set_up_for_once_an_own_block() {
        let set_ups = |from: &str| {
            let axis = Plan::<1>::parse([20], from, "cyclic(3) onto 2").unwrap().axis(0);
            [0, 1].map(|rank| Aspen.intersect(&axis, rank, &mut Vec::new()).set_ups)
        };
        // Of blocks 1 to 6, the first and the last in part.
        assert_eq!(set_ups("cyclic(4) onto 2 of [30] at [6]"), [3, 3]);
        assert_eq!(set_ups("cyclic(4) onto 2 of [30] at [0]"), [3, 2]);
        assert_eq!(set_ups("gen_block([13, 17]) onto 2 of [30] at [6]"), [1, 1]);
    }
}
