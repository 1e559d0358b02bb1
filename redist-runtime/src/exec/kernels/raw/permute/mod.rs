//! Copies any pattern of 4-byte lanes by permutations: each vector of one side is assembled from
//! vectors of the other, one permutation each.
//!
//! A table of permutations lets the same loops copy every pattern. Several periods share each load,
//! which costs as much as a use. The portable twin is [`table`](super::table).

mod avx512;
mod build;

use super::table::PatternTable;
use crate::exec::kernels::pattern::Pattern;
use crate::exec::kernels::{CopyDirection, Memory};
use avx512::{Functions, PERIODS_TOGETHER, Sides};
use build::{LANE_BYTES, Outputs};

pub(in super::super) struct Permutation {
    pub(super) table: PatternTable,
    outputs: Outputs,
    /// `true` if all read vectors have one stride between periods.
    even: bool,
    memory: Memory,
}

impl Permutation {
    pub fn new<D: CopyDirection>(pattern: Pattern, repeats: usize, memory: Memory) -> Option<Self> {
        if !pattern.is_multiple_of(LANE_BYTES) || pattern.span() == 0 {
            return None;
        }
        let outputs = Outputs::new::<D>(&pattern);
        let mut shares = pattern.shares().iter().filter(|share| **share > 0);
        let first = shares.next();
        let even = D::PACKS || shares.all(|share| Some(share) == first);
        let table = PatternTable { pattern, repeats };
        Some(Self { table, outputs, even, memory })
    }

    /// Copies all periods, several at a time. The functions for edges copy the last ones, whose
    /// vectors may reach past the end.
    ///
    /// # Safety
    /// As [`Work::all`](super::Work::all), and the processor has AVX-512 F.
    pub unsafe fn all<D: CopyDirection>(&self, local: *mut u8, cursors: &mut [*mut u8]) {
        let (outputs, even) = (&self.outputs, self.even);
        let Functions { edge, inner } = avx512::functions(D::PACKS, even, self.memory);
        let (span, shares) = (self.table.pattern.span(), self.table.pattern.shares());
        let (mut locals, spans, cursors) = ([local], [span], &mut cursors[..shares.len()]);
        let whole = self.table.repeats.saturating_sub(outputs.last);
        let mut done = 0;
        while done < self.table.repeats {
            let (periods, functions) = if done + PERIODS_TOGETHER <= whole {
                (PERIODS_TOGETHER, inner)
            } else {
                (1, edge)
            };
            let sides = match D::PACKS {
                true => Sides { from: &locals, from_steps: &spans, to: cursors, to_steps: shares },
                false => Sides { from: cursors, from_steps: shares, to: &locals, to_steps: &spans },
            };
            for group in &outputs.groups {
                // SAFETY: the caller vouches for `repeats` periods of the local array and of each
                // message in which outputs have places. Masked lanes lie in their period. Whole
                // vectors reach at most `outputs.last` periods further, so none of a period before
                // `whole` passes the end. Each peer has a base and a step in `sides`. The group's
                // outputs have `each` inputs. The processor has the vectors.
                unsafe { functions[group.each - 1](group, &sides) };
            }
            locals[0] = locals[0].wrapping_add(span * periods);
            for (cursor, share) in cursors.iter_mut().zip(shares) {
                *cursor = cursor.wrapping_add(share * periods);
            }
            done += periods;
        }
    }
}
