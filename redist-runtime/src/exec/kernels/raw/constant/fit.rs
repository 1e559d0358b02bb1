//! Limits of vectors for a step, and their waste.

use crate::program::{MAX_STEP_BYTES, StepMoves};
use redist_plan::arithmetic::{max, min};

pub(super) const SHORT_BYTES: usize = 16;

/// Accepted bytes of written vectors, in percent of the bytes in them.
const FEW_WASTED: usize = 115;

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

/// Returns the number of periods whose written vectors waste least: the first of less than
/// [`FEW_WASTED`]. Returns 0 if vectors would be too short, or offsets too long.
pub(super) const fn best_times(moves: &StepMoves, width: usize, units: Units) -> usize {
    let (read, written, vector) = (moves.read(), moves.written(), units.bytes * units.count);
    let (mut first, mut last, mut stream) = (1, MAX_STEP_BYTES / (moves.elements() * width), 0);
    while stream < read.len() + written.len() {
        let is_read = stream < read.len();
        let share = if is_read { read[stream] } else { written[stream - read.len()] };
        let bytes = share.saturating_mul(width);
        if bytes == 0 && !is_read {
            return 0;
        }
        if bytes > 0 && matches!(units.reach, VectorReach::Whole) {
            first = max(first, vector.div_ceil(bytes));
        }
        if bytes > 0 && is_read {
            last = min(last, u16::MAX as usize / bytes);
        }
        stream += 1;
    }
    let (mut best, mut least, mut times) = (0, usize::MAX, first);
    while times <= last && least > FEW_WASTED {
        let (mut vectors, mut bytes, mut stream) = (0, 0, 0);
        while stream < written.len() {
            let share = written[stream] * width * times;
            vectors += share.div_ceil(vector);
            bytes += share;
            stream += 1;
        }
        let wasted = (vectors * vector * 100).div_ceil(bytes);
        if wasted < least {
            (best, least) = (times, wasted);
        }
        times += 1;
    }
    best
}
