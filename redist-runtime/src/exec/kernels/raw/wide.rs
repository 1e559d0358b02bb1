//! Copies of constant length in AVX2 registers, twice as wide as those of [`uniform`], which is the
//! portable twin.

use super::memory::Access;
use super::moves::CopyRun;
use super::{Uniform, UniformKernel, uniform};
use crate::exec::kernels::CopyDirection;
use crate::exec::width::with_const;
use core::arch::x86_64::{_mm256_loadu_si256, _mm256_storeu_si256};

/// Runs of more than `(N - 1) * 32` and at most `N * 32` bytes, and at least 32: the last move ends
/// with the run.
struct Registers<const N: usize>;

impl<const N: usize> CopyRun for Registers<N> {
    #[inline(always)]
    unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
        // SAFETY: the caller vouches for the bytes and the length; `all` below, in which alone this
        // type is named, has the instructions.
        unsafe { copy::<N>(from, to, len) };
    }
}

/// # Safety
/// As [`CopyRun::copy`], for lengths that [`Registers`] copies; the processor has AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn copy<const N: usize>(from: *const u8, to: *mut u8, len: usize) {
    for step in 0..N {
        let at = if step + 1 < N { step * 32 } else { len - 32 };
        // SAFETY: the caller vouches for `len` bytes, at least 32 and more than `(N - 1) * 32`, so
        // that `at + 32 <= len`.
        unsafe { _mm256_storeu_si256(to.add(at).cast(), _mm256_loadu_si256(from.add(at).cast())) };
    }
}

/// The kernel for runs of `len` bytes, if they fill 1 to 8 registers. Calling it needs AVX2.
pub(in super::super) fn kernel<D: CopyDirection, A: Access>(len: usize) -> Option<UniformKernel> {
    if len < 32 {
        return None;
    }
    with_const!(
        len.div_ceil(32),
        N in [1 2 3 4 5 6 7 8] => Some(UniformKernel {
            all: all::<D, A, N>,
            is_network: false,
        }),
        else None
    )
}

/// # Safety
/// As [`Work::all`](super::Work::all), and the processor has AVX2; runs are of this number of
/// registers.
#[target_feature(enable = "avx2")]
unsafe fn all<D: CopyDirection, A: Access, const N: usize>(
    uniform: &Uniform,
    local: *mut u8,
    cursors: &mut [*mut u8],
) {
    // SAFETY: the caller vouches for the bytes of `uniform`, and that its runs are of `N` registers,
    // which `Registers` copies.
    unsafe { uniform::all::<D, Registers<N>, A>(uniform, local, cursors) };
}
