//! Runs as copies of constant lengths, on any processor.

use super::step::{CompiledStep, WriteStream, no_stream};
use crate::program::MAX_STEP_PEERS;
use core::ptr::copy_nonoverlapping;

/// Runs that are compiled together, because compilers unroll a loop over so many.
const TOGETHER: usize = 16;

/// Streams of more runs than are compiled together.
mod long {
    use super::super::step::{CompiledStep, Write, WriteStream, no_stream};
    use super::super::steps::steps;
    use super::{TOGETHER, write};
    use crate::program::MAX_STEP_PEERS;

    steps!(#[doc = "On any processor."], COPIES, TOGETHER);
}

/// A stream of few runs, which costs the compiler a tenth of a long one.
///
/// # Safety
/// As [`WriteStream`].
unsafe fn short<S: CompiledStep, const STREAM: usize>(
    steps: usize,
    from: &[*const u8; MAX_STEP_PEERS],
    mut to: *mut u8,
) {
    let (mut from, step) = (*from, S::COPIES);
    for _ in 0..steps {
        // SAFETY: the caller vouches for this step.
        unsafe { write::<S, STREAM, 0>(from, to) };
        let mut stream = 0;
        while stream < MAX_STEP_PEERS {
            from[stream] = from[stream].wrapping_add(step.read[stream]);
            stream += 1;
        }
        to = to.wrapping_add(step.written[STREAM]);
    }
}

pub(super) const fn streams<S: CompiledStep>() -> [WriteStream; MAX_STEP_PEERS] {
    let long = long::streams::<S>();
    macro_rules! streams {
        ($($stream:literal)*) => {
            [$(match S::COPIES.count($stream) {
                0 => no_stream,
                ..=TOGETHER => short::<S, $stream>,
                _ => long[$stream],
            }),*]
        };
    }
    streams!(0 1 2 3 4 5 6 7)
}

/// A run, in bytes: origin, place in the written stream, length.
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
    /// Lists the runs of a group of a stream.
    const fn of<S: CompiledStep>(stream: usize, group: usize) -> Self {
        let none = CopiedRun { stream: 0, from: 0, to: 0, len: 0 };
        let mut runs = Self { list: [none; TOGETHER], count: 0 };
        let Some(moves) = &S::MOVES else { return runs };
        let (list, first, mut number, mut seen) = (moves.list(), group * TOGETHER, 0, 0);
        while number < list.len() {
            let one = list[number];
            if one.to as usize == stream {
                if seen >= first && runs.count < TOGETHER {
                    runs.list[runs.count] = CopiedRun {
                        stream: one.from,
                        from: one.source as u32 * S::WIDTH as u32,
                        to: one.destination as u32 * S::WIDTH as u32,
                        len: one.len as u32 * S::WIDTH as u32,
                    };
                    runs.count += 1;
                }
                seen += 1;
            }
            number += 1;
        }
        runs
    }
}

/// # Safety
/// All streams `from` may be read and stream `to` written for the step; they do not overlap.
#[inline]
unsafe fn write<S: CompiledStep, const STREAM: usize, const GROUP: usize>(
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
