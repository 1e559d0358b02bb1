//! Algorithm 3 of the ASPEN paper, as printed and as corrected.

use crate::case::{Case, Tuple};

#[derive(Clone, Copy)]
pub struct Reading {
    /// Line 7 goes to the larger of two numbers: the local blocks, and the blocks of a period.
    pub larger: bool,
    /// Line 11: `to` includes `lastIndex`.
    pub last_too: bool,
    /// Line 16: `to` includes the number of periods, rounded down.
    pub last_period_too: bool,
    /// Lines 17 to 19 do not clip the last repetition.
    pub unclipped: bool,
}

pub const PRINTED: Reading =
    Reading { larger: true, last_too: true, last_period_too: true, unclipped: true };
pub const CORRECTED: Reading =
    Reading { larger: false, last_too: false, last_period_too: false, unclipped: false };

pub fn run(case: &Case, reading: Reading) -> (Vec<Tuple>, usize) {
    let (source, destination, period) = case.periods();
    let (own, of_a_period) = (case.blocks(case.s, case.source_ranks, case.p), period / source);
    let (mut tuples, mut comparisons) = (Vec::new(), 0);
    for remote in 0..case.destination_ranks {
        let offset = remote * case.t;
        for block in 0..if reading.larger { own.max(of_a_period) } else { own.min(of_a_period) } {
            let start = case.p * case.s + block * source;
            let end = (start + case.s).min(case.extent);
            for remote_block in indices(case, reading, remote, start) {
                comparisons += 1;
                let remote_start = offset + remote_block * destination;
                let remote_end = (remote_start + case.t).min(case.extent);
                let (left, right) = (start.max(remote_start), end.min(remote_end));
                if left < right {
                    repeat(case, reading, (remote, left, right), &mut tuples);
                }
            }
        }
    }
    (tuples, comparisons)
}

/// Lines 9 to 11. The dividend may be negative.
fn indices(case: &Case, reading: Reading, remote: i64, start: i64) -> std::ops::Range<i64> {
    let ((_, destination, period), offset) = (case.periods(), remote * case.t);
    let first = num_integer::div_ceil(start - offset - case.t, destination).max(0);
    let last = (1 + num_integer::div_floor(start + case.s - offset, destination))
        .min(case.blocks(case.t, case.destination_ranks, remote))
        .min(period / destination);
    first..last + i64::from(reading.last_too)
}

/// Lines 16 to 20.
fn repeat(case: &Case, reading: Reading, (remote, left, right): Tuple, tuples: &mut Vec<Tuple>) {
    let (.., period) = case.periods();
    let repetitions = if reading.last_period_too {
        case.extent / period + 1
    } else {
        num_integer::div_ceil(case.extent - left, period)
    };
    for repetition in 0..repetitions {
        let (start, end) = (left + repetition * period, right + repetition * period);
        tuples.push((remote, start, if reading.unclipped { end } else { end.min(case.extent) }));
    }
}
