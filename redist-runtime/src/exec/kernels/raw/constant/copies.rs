//! Runs as copies of constant lengths, each a statement, on any processor.

use super::step::{CompiledStep, Write, WriteStream, no_stream};
use super::steps::{advance, by_inputs, counted, place, steps};
use crate::program::MAX_STEP_PEERS;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::ptr::copy_nonoverlapping;
use redist_plan::arithmetic::min;

/// Most runs of a function, each a statement: compilers do not unroll a loop over them.
const TOGETHER: usize = 16;

/// A run of a step: its place in the stream that is written, its stream, and its place in that, of
/// 16, 8 and 16 bits. Then the same of the next run, if a single store writes both, and else the
/// length. A number, because compilers fold it at once.
#[derive(Clone, Copy)]
struct CopiedRun(u64);

impl CopiedRun {
    const NO_STREAM: u64 = 0xFF;

    const fn new(to: usize, from: (u8, usize), len: usize) -> Self {
        Self(to as u64 | (from.0 as u64) << 16 | (from.1 as u64) << 24)
            .with_next(Self::NO_STREAM, len as u64)
    }

    const fn with_next(self, stream: u64, number: u64) -> Self {
        Self(self.0 & ((1 << 40) - 1) | stream << 40 | number << 48)
    }

    /// Joins the run with the next one, if each has 8 bytes and they lie together where they are
    /// written. Fewer stores then took .75 to 1.0 of the time (AMD EPYC, 27 November 2026).
    /// Elsewhere, compilers join them.
    const fn joined(self, to: usize, (stream, at): (u8, usize), len: usize) -> Option<Self> {
        let is_next = self.0 >> 40 == 8 << 8 | Self::NO_STREAM && self.to() + 8 == to && len == 8;
        match cfg!(target_arch = "x86_64") && is_next {
            true => Some(self.with_next(stream as u64, at as u64)),
            false => None,
        }
    }

    #[inline(always)]
    const fn to(self) -> usize {
        self.0 as u16 as usize
    }

    /// Copies the run of streams `from` to a stream.
    ///
    /// # Safety
    /// The run, and the next run with it, may be read and written.
    #[inline(always)]
    pub unsafe fn copy(self, from: &[*const u8; MAX_STEP_PEERS], to: *mut u8) {
        let number = (self.0 >> 48) as usize;
        // SAFETY: the caller vouches for both ends, in streams of the step. A pair are 8 bytes from
        // either place, and 16 where it is written.
        unsafe {
            let place = |stream: u8, at: usize| from.get_unchecked(stream as usize).add(at);
            let (from, to) =
                (place((self.0 >> 16) as u8, (self.0 >> 24) as u16 as usize), to.add(self.to()));
            match self.0 >> 40 & 0xFF {
                Self::NO_STREAM => copy_nonoverlapping(from, to, number),
                #[cfg(target_arch = "x86_64")]
                stream => {
                    let low = _mm_castsi128_pd(_mm_loadl_epi64(from.cast()));
                    let next = place(stream as u8, number);
                    _mm_storeu_pd(to.cast(), _mm_loadh_pd(low, next.cast()));
                }
                #[cfg(not(target_arch = "x86_64"))]
                _ => {}
            }
        }
    }
}

/// At most [`TOGETHER`] runs, from streams of the step.
struct CopiedRuns {
    /// The runs, each as the number of a [`CopiedRun`].
    list: [u64; TOGETHER],
    /// Entries in use.
    pub count: usize,
}

impl CopiedRuns {
    pub const fn of<S: CompiledStep>(stream: usize, group: usize) -> Self {
        let mut runs = Self { list: [0; TOGETHER], count: 0 };
        let Some(moves) = S::MOVES else { return runs };
        let mut number = moves.first(stream) + group * TOGETHER;
        let (end, mut last) = (min(number + TOGETHER, moves.first(stream + 1)), CopiedRun(0));
        while number < end {
            let one = moves.get(number);
            let from = (one.from, one.source as usize * S::WIDTH);
            let (to, len) = (one.destination as usize * S::WIDTH, one.len as usize * S::WIDTH);
            match last.joined(to, from, len) {
                Some(joined) => last = joined,
                None => {
                    last = CopiedRun::new(to, from, len);
                    runs.count += 1;
                }
            }
            runs.list[runs.count - 1] = last.0;
            number += 1;
        }
        runs
    }

    pub const fn get(&self, number: usize) -> CopiedRun {
        CopiedRun(self.list[number])
    }
}

steps!(#[doc = "On any processor."], COPIES, TOGETHER);

/// The runs of a group.
struct CopiedGroup<S, const STREAM: usize, const NUMBER: usize>(S);

impl<S: CompiledStep, const STREAM: usize, const NUMBER: usize> CopiedGroup<S, STREAM, NUMBER> {
    const RUNS: CopiedRuns = CopiedRuns::of::<S>(STREAM, NUMBER);
}

const fn runs<S: CompiledStep, const STREAM: usize, const NUMBER: usize>() -> usize {
    CopiedGroup::<S, STREAM, NUMBER>::RUNS.count
}

macro_rules! copied {
    ($from:ident, $to:ident, [$($run:literal)*]) => {
        // SAFETY: the caller vouches for this step, in which the runs lie (`StepMoves`).
        unsafe { $(const { CopiedGroup::<S, STREAM, NUMBER>::RUNS.get($run) }.copy($from, $to);)* }
    };
}

by_inputs!((inline(always)), runs, copied:
    1 of_1 0 2 of_2 1 3 of_3 2 4 of_4 3 5 of_5 4 6 of_6 5 7 of_7 6 8 of_8 7 9 of_9 8 10 of_10 9
    11 of_11 10 12 of_12 11 13 of_13 12 14 of_14 13 15 of_15 14 16 of_16 15);
