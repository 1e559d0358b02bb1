//! Runs as copies of constant lengths, on any processor.

use super::step::CompiledStep;
use crate::program::MAX_STEP_PEERS;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::ptr::copy_nonoverlapping;
use redist_plan::arithmetic::min;

/// Most runs of a function, each a statement of its own: compilers do not unroll a loop over them.
pub(super) const TOGETHER: usize = 16;

/// A run of a step: its place in the stream that is written, its stream, and its place in that, of
/// 16, 8 and 16 bits. Then the same of the next run, if a single store writes both, and else the
/// length. A number, because compilers fold it at once.
#[derive(Clone, Copy)]
pub(super) struct CopiedRun(u64);

impl CopiedRun {
    const NO_STREAM: u64 = 0xFF;

    const fn new(to: usize, from: (u8, usize), len: usize) -> Self {
        Self(to as u64 | (from.0 as u64) << 16 | (from.1 as u64) << 24)
            .with_next(Self::NO_STREAM, len as u64)
    }

    const fn with_next(self, stream: u64, number: u64) -> Self {
        Self(self.0 & ((1 << 40) - 1) | stream << 40 | number << 48)
    }

    /// Returns the run and another as one, if each is 8 bytes and one follows the other. Fewer stores
    /// then took .75 to 1.0 of the time (AMD EPYC, 27 November 2026). Elsewhere, compilers join
    /// them by themselves.
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
    /// The run, and the next one with it, may be read and written.
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
pub(super) struct CopiedRuns {
    list: [u64; TOGETHER],
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
