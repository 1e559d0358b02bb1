//! Walks through own blocks that several algorithms share.

use super::Segments;
use super::cursor::{Cursor, Step};
use super::regular::{OwnBlock, Regular, Repetitions};

#[inline]
pub fn shift_through(
    line: &Regular,
    own: OwnBlock,
    mut cursor: Cursor,
    repetitions: &Repetitions,
    found: &mut Vec<Segments>,
) {
    let mut start = own.start;
    loop {
        let len = (own.end - start).min(cursor.left());
        let offsets = (own.local + (start - own.start), cursor.local());
        found.push(repetitions.family(
            start,
            len,
            line.destination.coordinate(cursor.relative()),
            offsets,
        ));
        start += len;
        if start == own.end {
            return;
        }
        cursor.shift();
    }
}

/// Returns the rank's blocks that begin below `end`, and the destination's places of their first
/// elements, by one division.
pub fn places(
    line: &Regular,
    rank: usize,
    end: usize,
) -> impl Iterator<Item = (OwnBlock, Cursor)> + use<> {
    let first = line.source.relative(rank).saturating_mul(line.source.block);
    let (mut next, step) =
        (Cursor::at(first, &line.destination), Step::of(line.source.round, &line.destination));
    line.own_blocks(rank, end).map(move |own| {
        let cursor = next;
        next.advance(&step);
        (own, cursor)
    })
}

/// Lists the rank's pieces below `stride`, a multiple of `lcm(s P, t)` or the extent, repeated.
pub fn block_after_block(line: &Regular, rank: usize, stride: usize, found: &mut Vec<Segments>) {
    let repetitions = line.repetitions(stride);
    for (own, cursor) in places(line, rank, stride) {
        shift_through(line, own, cursor, &repetitions, found);
    }
}
