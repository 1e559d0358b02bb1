//! Thakur, Choudhary and Ramanujam's algorithms, which compute an owner for each chunk.

use super::cursor::Cursor;
use super::regular::Regular;
use super::walk::block_after_block;
use super::{Intersection, Operations, Segments};
use redist::plan::Axis;

/// Thakur, Choudhary and Ramanujam, *Efficient Algorithms for Array Redistribution*: every chunk of
/// the local array that lies in one block of either side, over the whole extent.
///
/// A set-up computes a chunk's owner by division: for every chunk in general, for one chunk for
/// kx→x and x→kx, because consecutive ranks get consecutive blocks. Comparisons are the chunks.
#[derive(Clone, Copy, Debug)]
pub struct Thakur;

impl Intersection for Thakur {
    fn name(&self) -> &'static str {
        "Thakur"
    }

    fn intersect(&self, axis: &Axis, rank: usize, found: &mut Vec<Segments>) -> Operations {
        let line = Regular::of(axis);
        let (s, t) = (line.source.block, line.destination.block);
        found.clear();
        if s.is_multiple_of(t) || t.is_multiple_of(s) {
            // The first owner by division, all further owners from it.
            block_after_block(&line, rank, line.len, found);
            return Operations {
                set_ups: usize::from(!found.is_empty()),
                comparisons: found.len(),
            };
        }
        general(&line, rank, found);
        Operations { set_ups: found.len(), comparisons: found.len() }
    }
}

fn general(line: &Regular, rank: usize, found: &mut Vec<Segments>) {
    for own in line.own_blocks(rank, line.len) {
        let mut start = own.start;
        while start < own.end {
            let cursor = Cursor::at(start, &line.destination);
            let len = (own.end - start).min(cursor.left());
            let offsets = (own.local + (start - own.start), cursor.local());
            found.push(Segments::once(
                start,
                len,
                line.destination.coordinate(cursor.relative()),
                offsets,
            ));
            start += len;
        }
    }
}
