//! The classical algorithm: every own block is compared with every remote block.

use super::regular::{Partner, Regular};
use super::{Intersection, Operations, Segments};
use redist::plan::Axis;

/// Algorithm 2 of Foyer, Tate and McIntosh-Smith, with remote ranks counted from 0.
///
/// All ranks together make `ceil(N / s) ceil(N / t)` comparisons.
#[derive(Clone, Copy, Debug)]
pub struct Classical;

impl Intersection for Classical {
    fn name(&self) -> &'static str {
        "classical"
    }

    fn intersect(&self, axis: &Axis, rank: usize, found: &mut Vec<Segments>) -> Operations {
        let line = Regular::of(axis);
        found.clear();
        let meet = |sum, partner| sum + meet(&line, rank, partner, found);
        line.partners().fold(Operations::default(), meet)
    }
}

impl Classical {
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
    let (len, block, round) = (line.len, line.destination.block, line.destination.round);
    let mut comparisons = 0;
    for own in line.own_blocks(rank, len) {
        let (mut remote, mut local) = (partner.start, 0);
        while remote < len {
            comparisons += 1;
            let (start, end) = (own.start.max(remote), own.end.min(remote.saturating_add(block)));
            if start < end {
                let offsets = (own.local + (start - own.start), local + (start - remote));
                found.push(Segments::once(start, end - start, partner.peer, offsets));
            }
            remote = remote.saturating_add(round);
            local += block;
        }
    }
    Operations { set_ups: 0, comparisons }
}
