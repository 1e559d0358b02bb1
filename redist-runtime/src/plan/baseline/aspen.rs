//! ASPEN: from one destination block to the adjacent one, over one period.

use super::cursor::Cursor;
use super::regular::{self, Regular};
use super::walk::shift_through;
use super::{Intersection, Operations, Segments};
use crate::plan::{Axis, Side};

/// Algorithm 4 of Foyer, Tate and McIntosh-Smith, corrected.
///
/// A set-up is the division that finds the destination block in which an own block begins; the next ones are adjacent. All
/// ranks together evaluate the pieces of one period, [`Axis::pieces_below`] it. Where the numbers are not those of the
/// paper (a section, a gen_block), [`Axis::aspen`] walks instead.
#[derive(Clone, Copy, Debug)]
pub struct Aspen;

impl Intersection for Aspen {
    fn name(&self) -> &'static str {
        "ASPEN"
    }

    fn source(&self) -> &'static str {
        "Foyer, Tate, McIntosh-Smith, ASPEN: An Efficient Algorithm for Data Redistribution Between Producer and Consumer \
         Grids, Algorithm 4, corrected"
    }

    fn applies(&self, _: &Axis) -> Result<(), &'static str> {
        Ok(())
    }

    fn intersect(&self, axis: &Axis, rank: usize, found: &mut Vec<Segments>) -> Operations {
        found.clear();
        if regular::applies(axis).is_err() {
            return walk(axis, rank, found);
        }
        let line = Regular::of(axis);
        let period = line.period();
        let repetitions = line.repetitions(period);
        let mut set_ups = 0;
        for own in line.own_blocks(rank, period) {
            set_ups += 1;
            shift_through(&line, own, Cursor::at(own.start, &line.destination), &repetitions, found);
        }
        Operations { set_ups, comparisons: found.len() }
    }
}

/// [`Axis::aspen`], which knows sections and given blocks.
fn walk(axis: &Axis, rank: usize, found: &mut Vec<Segments>) -> Operations {
    let (mut set_ups, mut own_end) = (0, 0);
    let mut pieces = axis.aspen(Side::Source, rank);
    loop {
        let start = pieces.index();
        let Some(piece) = pieces.next() else {
            return Operations { set_ups, comparisons: found.len() };
        };
        if start >= own_end {
            (set_ups, own_end) = (set_ups + 1, axis.side(Side::Source).block_end(start));
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
    }
}
