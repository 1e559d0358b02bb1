//! Limits of vectors for a step, and their waste.

use crate::program::StepMoves;
use redist_plan::arithmetic::min;

pub(super) const SHORT_BYTES: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VectorReach {
    Whole,
    Masked,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Units {
    pub bytes: usize,
    pub count: usize,
    pub reach: VectorReach,
}

impl Units {
    pub const SHORT: Self = Self { bytes: 1, count: SHORT_BYTES, reach: VectorReach::Whole };

    pub const fn lanes(bytes: usize) -> Self {
        Self { bytes, count: 64 / bytes, reach: VectorReach::Masked }
    }
}

/// Returns `true` if a vector of `some` units is shorter than its reach allows.
pub(super) const fn too_short(some: usize, units: Units) -> bool {
    some < units.count && matches!(units.reach, VectorReach::Whole)
}

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

/// Returns the bytes of all written vectors in percent of the bytes in them, for elements of
/// `width` bytes. Returns the maximum if vectors would be too short.
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
