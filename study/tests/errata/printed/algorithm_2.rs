//! Algorithm 2 of the ASPEN paper, as printed.

use crate::case::{Case, Tuple};
use std::ops::RangeInclusive;

/// Returns tuples of global indices. The loop over remote ranks is printed from 1 to their number.
pub fn run(case: &Case, remotes: RangeInclusive<i64>) -> Vec<Tuple> {
    let (source, destination, _) = case.periods();
    let mut tuples = Vec::new();
    for remote in remotes {
        for own in 0..case.blocks(case.s, case.source_ranks, case.p) {
            let start = case.p * case.s + own * source;
            let end = (start + case.s).min(case.extent);
            for block in 0..case.blocks(case.t, case.destination_ranks, remote) {
                let remote_start = remote * case.t + block * destination;
                let remote_end = (remote_start + case.t).min(case.extent);
                let (left, right) = (start.max(remote_start), end.min(remote_end));
                if left < right {
                    tuples.push((remote, left, right));
                }
            }
        }
    }
    tuples
}
