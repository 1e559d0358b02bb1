//! Runs as copies of constant lengths, on any processor.

use super::step::CompiledStep;
use crate::program::MAX_STEP_PEERS;
use core::ptr::copy_nonoverlapping;

/// Runs that are compiled together, because compilers unroll a loop over so many.
pub(super) const TOGETHER: usize = 16;

#[derive(Clone, Copy)]
struct CopiedRun {
    stream: u8,
    from: u32,
    to: u32,
    len: u32,
}

struct CopiedRuns {
    list: [CopiedRun; TOGETHER],
    count: usize,
}

impl CopiedRuns {
    const fn of<S: CompiledStep>(stream: usize, group: usize) -> Self {
        let none = CopiedRun { stream: 0, from: 0, to: 0, len: 0 };
        let mut runs = Self { list: [none; TOGETHER], count: 0 };
        let Some(moves) = &S::MOVES else { return runs };
        let (list, first) = (moves.to(stream), group * TOGETHER);
        while runs.count < TOGETHER && first + runs.count < list.len() {
            let one = list[first + runs.count];
            runs.list[runs.count] = CopiedRun {
                stream: one.from,
                from: one.source as u32 * S::WIDTH as u32,
                to: one.destination as u32 * S::WIDTH as u32,
                len: one.len as u32 * S::WIDTH as u32,
            };
            runs.count += 1;
        }
        runs
    }
}

/// # Safety
/// All streams `from` may be read and stream `to` written for the step; they do not overlap.
#[inline]
pub(super) unsafe fn write<S: CompiledStep, const STREAM: usize, const GROUP: usize>(
    from: [*const u8; MAX_STEP_PEERS],
    to: *mut u8,
) {
    let (runs, mut number) = (const { &CopiedRuns::of::<S>(STREAM, GROUP) }, 0);
    while number < runs.count {
        let run = runs.list[number];
        let from = from[run.stream as usize].wrapping_add(run.from as usize);
        // SAFETY: moves lie inside of their step on both sides (`StepMoves`), which the caller
        // vouches for.
        unsafe { copy_nonoverlapping(from, to.wrapping_add(run.to as usize), run.len as usize) };
        number += 1;
    }
}
