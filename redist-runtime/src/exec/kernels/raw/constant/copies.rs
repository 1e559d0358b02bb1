//! Runs as copies of constant lengths, on any processor.

use super::step::CompiledStep;
use crate::program::{MAX_STEP_PEERS, StepMove};
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::ptr::copy_nonoverlapping;
use redist_plan::arithmetic::min;

/// Runs that are compiled together, because compilers unroll a loop over so many.
pub(super) const TOGETHER: usize = 16;

#[derive(Clone, Copy)]
struct CopiedRun {
    from: (u8, u32),
    to: u32,
    len: u32,
    /// The place of the next run, if a single store writes both.
    next: Option<(u8, u32)>,
}

struct CopiedRuns {
    list: [CopiedRun; TOGETHER],
    count: usize,
}

impl CopiedRuns {
    const fn of<S: CompiledStep>(stream: usize, group: usize) -> Self {
        let none = CopiedRun { from: (0, 0), to: 0, len: 0, next: None };
        let mut runs = Self { list: [none; TOGETHER], count: 0 };
        let Some(moves) = &S::MOVES else { return runs };
        let (list, mut number) = (moves.to(stream), group * TOGETHER);
        let (width, end) = (S::WIDTH as u32, min(number + TOGETHER, list.len()));
        while number < end {
            let one = list[number];
            let next = match number + 1 < end && are_pair(&one, &list[number + 1], S::WIDTH) {
                true => Some(place(&list[number + 1], width)),
                false => None,
            };
            let (to, len) = (one.destination as u32 * width, one.len as u32 * width);
            runs.list[runs.count] = CopiedRun { from: place(&one, width), to, len, next };
            (runs.count, number) = (runs.count + 1, number + 1 + next.is_some() as usize);
        }
        runs
    }
}

const fn place(one: &StepMove, width: u32) -> (u8, u32) {
    (one.from, one.source as u32 * width)
}

/// Returns `true` if both are 8 bytes, one behind the other. Fewer stores then took .75 to 1.0 of the
/// time (AMD EPYC, 27 November 2026). Elsewhere, compilers join them by themselves.
const fn are_pair(one: &StepMove, next: &StepMove, width: usize) -> bool {
    let end = one.destination + one.len;
    let is_next = next.destination == end && next.len == one.len;
    cfg!(target_arch = "x86_64") && one.len as usize * width == 8 && is_next
}

/// # Safety
/// All streams `from` may be read and stream `to` written for the step; they do not overlap.
#[inline(always)] // Or it is compiled once more by itself.
pub(super) unsafe fn write<S: CompiledStep, const STREAM: usize, const GROUP: usize>(
    from: [*const u8; MAX_STEP_PEERS],
    to: *mut u8,
) {
    let (runs, mut number) = (const { &CopiedRuns::of::<S>(STREAM, GROUP) }, 0);
    let place = |(stream, at): (u8, u32)| from[stream as usize].wrapping_add(at as usize);
    while number < runs.count {
        let run = runs.list[number];
        let (from, to) = (place(run.from), to.wrapping_add(run.to as usize));
        // SAFETY: moves lie inside of their step on both sides (`StepMoves`), which the caller
        // vouches for. A pair are 8 bytes from either place, and 16 where it is written.
        unsafe {
            match run.next {
                #[cfg(target_arch = "x86_64")]
                Some(next) => {
                    let low = _mm_castsi128_pd(_mm_loadl_epi64(from.cast()));
                    _mm_storeu_pd(to.cast(), _mm_loadh_pd(low, place(next).cast()));
                }
                _ => copy_nonoverlapping(from, to, run.len as usize),
            }
        }
        number += 1;
    }
}
