//! From one destination block to the adjacent one, and from one own block to the next.

use super::Segments;
use super::cursor::{Cursor, Step};
use super::regular::{OwnBlock, Regular, Repetitions};

/// The destination blocks that one own block meets from `cursor` on, each adjacent to the one before.
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
        found.push(repetitions.family(start, len, line.destination.coordinate(cursor.relative()), offsets));
        start += len;
        if start == own.end {
            return;
        }
        cursor.shift();
    }
}

/// The pieces of the rank's blocks below `stride`, each with all its repetitions, with one division for all blocks
/// together; `stride` is a multiple of `lcm(s P, t)`, or the extent.
pub fn block_after_block(line: &Regular, rank: usize, stride: usize, found: &mut Vec<Segments>) {
    let repetitions = line.repetitions(stride);
    let mut own_blocks = line.own_blocks(rank, stride);
    let Some(first) = own_blocks.next() else {
        return;
    };
    let mut cursor = Cursor::at(first.start, &line.destination);
    shift_through(line, first, cursor, &repetitions, found);
    let step = Step::of(line.source.round, &line.destination);
    for own in own_blocks {
        cursor.advance(&step);
        shift_through(line, own, cursor, &repetitions, found);
    }
}
