//! ScaLAPACK's scan: two cursors over the blocks of two ranks.

use super::regular::{Partner, Regular};
use super::{Intersection, Operations, Segments};
use redist::plan::Axis;

/// The scan of `p?gemr2d` (Prylli, Tourancheau) over the whole extent, with a cursor on the rank's
/// blocks and one on the partner's. The cursor of the block that ends first moves on.
///
/// A comparison is a step of a cursor or of both, a set-up a partner. All ranks together make at
/// most `Q ceil(N / s) + P ceil(N / t)` comparisons.
#[derive(Clone, Copy, Debug)]
pub struct Scalapack;

impl Intersection for Scalapack {
    fn name(&self) -> &'static str {
        "ScaLAPACK scan"
    }

    fn intersect(&self, axis: &Axis, rank: usize, found: &mut Vec<Segments>) -> Operations {
        let line = Regular::of(axis);
        let mut operations = Operations::default();
        found.clear();
        let first = line.source.relative(rank).saturating_mul(line.source.block);
        for partner in line.partners() {
            operations.set_ups += 1;
            operations.comparisons += scan(&line, first, partner, found);
        }
        operations
    }
}

/// Lists a rank's elements, from its first block at `own` on, that a partner shares; counts steps.
#[inline]
fn scan(line: &Regular, mut own: usize, partner: Partner, found: &mut Vec<Segments>) -> usize {
    let (source, destination, len) = (line.source, line.destination, line.len);
    let (mut remote, mut own_local, mut remote_local, mut steps) =
        (partner.start, 0usize, 0usize, 0);
    while own < len && remote < len {
        steps += 1;
        let (own_end, remote_end) =
            (own.saturating_add(source.block), remote.saturating_add(destination.block));
        let (start, end) = (own.max(remote), own_end.min(remote_end));
        if start < end {
            let offsets = (own_local + (start - own), remote_local + (start - remote));
            found.push(Segments::once(start, end.min(len) - start, partner.peer, offsets));
        }
        if own_end == end {
            own = own.saturating_add(source.round);
            own_local = own_local.saturating_add(source.block);
        }
        if remote_end == end {
            remote = remote.saturating_add(destination.round);
            remote_local = remote_local.saturating_add(destination.block);
        }
    }
    steps
}
