//! Limits of vectors for a step, and their waste.

use crate::program::{MAX_STEP_PEERS, StepMove, StepMoves};
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

/// Returns `true` if vectors gain though all runs are whole units of 8 bytes: vectors that are read
/// have several runs for one stream. Copies unpacked runs of 8 bytes in up to 1.4 times the time, more
/// than three of 16 or 24 in up to 1.2 times (AMD EPYC, 2026).
pub(super) const fn are_gathered(moves: &StepMoves, width: usize) -> bool {
    let (list, bytes) = (moves.list(), moves.elements() * width);
    let are_few = list.len() <= FEW_RUNS * moves.written().len();
    let longest = if are_few { MAX_FEW_RUN_BYTES } else { MAX_GATHERED_RUN_BYTES };
    if cfg!(not(target_arch = "x86_64")) || bytes >= longest * list.len() {
        return false;
    }
    let (mut beside, mut stream) = (0, 0);
    while stream < moves.written().len() {
        beside += count_beside(moves.to(stream), moves.read());
        stream += 1;
    }
    beside * 3 >= list.len()
}

const MAX_GATHERED_RUN_BYTES: usize = 28;

const MAX_FEW_RUN_BYTES: usize = 12;

const FEW_RUNS: usize = 3;

/// Counts the moves that begin where another one ends, in the same step or the one before.
const fn count_beside(list: &[StepMove], read: &[usize]) -> usize {
    let (mut first, mut ends) = ([usize::MAX; MAX_STEP_PEERS], [0; MAX_STEP_PEERS]);
    let (mut count, mut number) = (0, 0);
    while number < list.len() {
        let (from, source) = (list[number].from as usize, list[number].source as usize);
        if first[from] == usize::MAX {
            first[from] = source;
        } else if ends[from] == source {
            count += 1;
        }
        ends[from] = source + list[number].len as usize;
        number += 1;
    }
    let mut stream = 0;
    while stream < read.len() {
        if first[stream] == 0 && ends[stream] == read[stream] {
            count += 1;
        }
        stream += 1;
    }
    count
}
