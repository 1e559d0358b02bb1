//! Whether a step can be vectors at all, and how much of them would be wasted.

use crate::program::{StepMove, StepMoves};
use redist_plan::arithmetic::min;

/// Bytes of a short vector.
pub(super) const SHORT_BYTES: usize = 16;

/// How vectors may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VectorReach {
    /// Only whole ones.
    Whole,
    /// Shorter ones, too, in streams that are shorter.
    Masked,
}

/// What vectors are made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Units {
    /// Bytes of a unit.
    pub bytes: usize,
    /// Units of a vector.
    pub count: usize,
    pub reach: VectorReach,
}

impl Units {
    /// Bytes.
    pub const SHORT: Self = Self { bytes: 1, count: SHORT_BYTES, reach: VectorReach::Whole };

    /// Lanes of vectors of 64 bytes.
    pub const fn lanes(bytes: usize) -> Self {
        Self { bytes, count: 64 / bytes, reach: VectorReach::Masked }
    }
}

/// Whether a vector of `some` units is shorter than it may be.
pub(super) const fn too_short(some: usize, units: Units) -> bool {
    some < units.count && matches!(units.reach, VectorReach::Whole)
}

/// Whether offsets in what is read fit the numbers of a table.
pub(super) const fn read_fits(moves: &StepMoves, width: usize, times: usize) -> bool {
    let (read, width, mut stream) = (moves.read(), width * times, 0);
    while stream < read.len() {
        match read[stream].checked_mul(width) {
            Some(bytes) if bytes <= u16::MAX as usize => {}
            _ => return false,
        }
        stream += 1;
    }
    true
}

/// Largest number of bytes, up to 16, that all moves begin at and end at multiples of.
pub(super) const fn unit(moves: &StepMoves, width: usize) -> usize {
    let (list, mut numbers, mut number) = (moves.list(), 0, 0);
    while number < list.len() {
        let StepMove { source, destination, len, .. } = list[number];
        // A power of two divides all numbers where it divides what has the bits of all.
        numbers |= source | destination | len;
        number += 1;
    }
    let mut unit = 16;
    while !(numbers as usize * width).is_multiple_of(unit) {
        unit /= 2;
    }
    unit
}

/// Bytes of all vectors that are written, in percent of the bytes in them, of elements of `width`
/// bytes; more than anything where vectors may not be as short as they had to be.
pub(super) const fn waste(moves: &StepMoves, width: usize, units: Units) -> usize {
    let (mut stream, mut vectors, mut bytes) = (0, 0, 0);
    let (read, written, vector) = (moves.read(), moves.written(), units.bytes * units.count);
    while stream < written.len() {
        let share = written[stream] * width;
        if too_short(min(share / units.bytes, units.count), units) {
            return usize::MAX;
        }
        vectors += share.div_ceil(vector);
        bytes += share;
        stream += 1;
    }
    let mut stream = 0;
    while stream < read.len() {
        let share = read[stream] * width / units.bytes;
        if share > 0 && too_short(min(share, units.count), units) {
            return usize::MAX;
        }
        stream += 1;
    }
    (vectors * vector * 100).div_ceil(bytes)
}
