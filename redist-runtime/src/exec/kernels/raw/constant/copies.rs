//! Runs as copies of constant lengths, on any processor.

use super::step::CompiledStep;
use crate::program::MAX_STEP_PEERS;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::ptr::copy_nonoverlapping;
use redist_plan::arithmetic::min;

/// Runs that are compiled together, because compilers unroll a loop over so many.
pub(super) const TOGETHER: usize = 16;

#[derive(Clone, Copy)]
struct CopiedRun {
    from: u8,
    /// The stream of the next run, if a single store writes both.
    next: u8,
    at: u32,
    next_at: u32,
    to: u32,
    len: u32,
}

const NO_STREAM: u8 = u8::MAX;

/// At most [`TOGETHER`] runs, from streams of the step.
struct CopiedRuns {
    list: [CopiedRun; TOGETHER],
    count: usize,
}

impl CopiedRuns {
    const fn of<S: CompiledStep>(stream: usize, group: usize) -> Self {
        let none = CopiedRun { from: 0, next: NO_STREAM, at: 0, next_at: 0, to: 0, len: 0 };
        let mut runs = Self { list: [none; TOGETHER], count: 0 };
        let Some(moves) = S::MOVES else { return runs };
        let (width, mut number) = (S::WIDTH as u32, moves.first(stream) + group * TOGETHER);
        let (end, mut last) = (min(number + TOGETHER, moves.first(stream + 1)), none);
        while number < end {
            let one = moves.get(number);
            let (at, to) = (one.source as u32 * width, one.destination as u32 * width);
            let len = one.len as u32 * width;
            // Fewer stores then took .75 to 1.0 of the time (AMD EPYC, 27 November 2026). Elsewhere,
            // compilers join them by themselves.
            let is_next = last.next == NO_STREAM && last.len == 8 && last.to + 8 == to;
            if cfg!(target_arch = "x86_64") && is_next && len == 8 {
                (last.next, last.next_at) = (one.from, at);
                runs.list[runs.count - 1] = last;
            } else {
                last = CopiedRun { from: one.from, at, to, len, ..none };
                runs.list[runs.count] = last;
                runs.count += 1;
            }
            number += 1;
        }
        runs
    }
}

/// # Safety
/// All streams `from` may be read and stream `to` written for the step; they do not overlap.
#[inline(always)] // Or it is compiled once more by itself.
pub(super) unsafe fn write<S: CompiledStep, const STREAM: usize, const GROUP: usize>(
    from: &[*const u8; MAX_STEP_PEERS],
    to: *mut u8,
) {
    let (runs, mut number) = (const { &CopiedRuns::of::<S>(STREAM, GROUP) }, 0);
    while number < runs.count {
        // SAFETY: moves lie inside of their step on both sides (`StepMoves`), which the caller
        // vouches for, in streams of the step. A pair are 8 bytes from either place, and 16 where it
        // is written. There are `count` runs.
        unsafe {
            let run = runs.list.get_unchecked(number);
            let place = |stream: u8, at: u32| from.get_unchecked(stream as usize).add(at as usize);
            let (from, to) = (place(run.from, run.at), to.add(run.to as usize));
            match run.next == NO_STREAM {
                #[cfg(target_arch = "x86_64")]
                false => {
                    let low = _mm_castsi128_pd(_mm_loadl_epi64(from.cast()));
                    let next = place(run.next, run.next_at);
                    _mm_storeu_pd(to.cast(), _mm_loadh_pd(low, next.cast()));
                }
                _ => copy_nonoverlapping(from, to, run.len as usize),
            }
        }
        number += 1;
    }
}
