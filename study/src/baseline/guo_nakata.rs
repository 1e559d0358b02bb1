//! Guo and Nakata's index computation, as another paper sums it up.

use super::regular::Regular;
use super::{Intersection, Operations, Segments};
use redist::plan::Axis;

/// Guo and Nakata, *A Framework for Efficient Data Redistribution on Distributed Memory
/// Multicomputers*, of which only the abstract is at hand. The source here is Algorithm 3 of Foyer,
/// Tate and McIntosh-Smith, which sums the method up and says that it has the idea of FALLS.
///
/// The bounds are the printed ones, so that some comparisons miss; [`Falls`](super::Falls) has tight
/// ones. Only faults that find wrong pieces are mended: repetitions that are too many, a last one
/// that is not clipped, and a piece that is found twice.
#[derive(Clone, Copy, Debug)]
pub struct GuoNakata;

impl Intersection for GuoNakata {
    fn name(&self) -> &'static str {
        "Guo-Nakata"
    }

    fn intersect(&self, axis: &Axis, rank: usize, found: &mut Vec<Segments>) -> Operations {
        let line = Regular::of(axis);
        let (block, round, period) =
            (line.destination.block, line.destination.round, line.period());
        let repetitions = line.repetitions(period);
        let mut operations = Operations::default();
        found.clear();
        for partner in line.partners() {
            for own in line.own_blocks(rank, period) {
                operations.set_ups += 1;
                // Line 9: ⌈(start - offset - t) / tQ⌉, at least 0; line 10: ⌊(start + s - offset) / tQ⌋.
                let first = own.start.saturating_sub(partner.start.saturating_add(block));
                let first = first.div_ceil(round);
                let reach = own.start.saturating_add(line.source.block);
                let Some(reach) = reach.checked_sub(partner.start) else { continue };
                for number in first..=reach / round {
                    let remote = partner.start.saturating_add(number.saturating_mul(round));
                    if remote >= period {
                        break;
                    }
                    operations.comparisons += 1;
                    let (start, end) =
                        (own.start.max(remote), own.end.min(remote.saturating_add(block)));
                    if start < end {
                        let local = number * block + (start - remote);
                        let offsets = (own.local + (start - own.start), local);
                        found.push(repetitions.family(start, end - start, partner.peer, offsets));
                    }
                }
            }
        }
        operations
    }
}
