//! FALLS: families of line segments, intersected pair by pair.

use super::regular::{Partner, Regular};
use super::{Intersection, Operations, Segments};
use redist::plan::Axis;

/// Algorithm 3 of Foyer, Tate and McIntosh-Smith, after Ramaswamy and Banerjee, corrected: tight
/// bounds, each repetition once, the last one clipped.
///
/// A set-up finds the first block of one destination rank that reaches into one own block: `Q
/// ceil(S / s)` on all ranks. Every comparison after that hits.
#[derive(Clone, Copy, Debug)]
pub struct Falls;

impl Intersection for Falls {
    fn name(&self) -> &'static str {
        "FALLS"
    }

    fn intersect(&self, axis: &Axis, rank: usize, found: &mut Vec<Segments>) -> Operations {
        let line = Regular::of(axis);
        found.clear();
        let meet = |sum, partner| sum + meet(&line, rank, partner, found);
        line.partners().fold(Operations::default(), meet)
    }
}

impl Falls {
    /// Replaces `found` by the pieces of `rank` and one remote rank, whose coordinate `peer` is.
    pub fn intersect_one(
        axis: &Axis,
        rank: usize,
        peer: usize,
        found: &mut Vec<Segments>,
    ) -> Operations {
        let line = Regular::of(axis);
        found.clear();
        let partner = line.partners().find(|partner| partner.peer == peer);
        partner.map_or_else(Operations::default, |partner| meet(&line, rank, partner, found))
    }
}

/// Adds the pieces of one partner to the found ones.
#[inline]
fn meet(line: &Regular, rank: usize, partner: Partner, found: &mut Vec<Segments>) -> Operations {
    let (block, round, period) = (line.destination.block, line.destination.round, line.period());
    let repetitions = line.repetitions(period);
    let mut operations = Operations::default();
    for own in line.own_blocks(rank, period) {
        operations.set_ups += 1;
        let first = first_reaching(own.start, partner, block, round);
        let (mut remote, mut local) = (
            partner.start.saturating_add(first.saturating_mul(round)),
            first.saturating_mul(block),
        );
        // The block begins before the own one ends: one condition for all of Algorithm 3's upper
        // bounds.
        while remote < own.end {
            operations.comparisons += 1;
            let (start, end) = (own.start.max(remote), own.end.min(remote.saturating_add(block)));
            let offsets = (own.local + (start - own.start), local + (start - remote));
            found.push(repetitions.family(start, end - start, partner.peer, offsets));
            remote = remote.saturating_add(round);
            local = local.saturating_add(block);
        }
    }
    operations
}

/// First block that ends after `index`: `max(0, floor((index - its start - t) / tQ) + 1)`.
#[inline]
fn first_reaching(index: usize, partner: Partner, block: usize, round: usize) -> usize {
    match index.checked_sub(partner.start.saturating_add(block)) {
        Some(beyond) => beyond / round + 1,
        None => 0,
    }
}
