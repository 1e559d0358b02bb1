//! Copies of one constant length by AVX2, in registers of twice the size. The portable twin is
//! [`uniform`](super::uniform).

use super::memory::Access;
use super::moves::Copy;
use super::{Uniform, UniformKernel, uniform};
use crate::exec::kernels::Direction;
use core::arch::x86_64::{_mm256_loadu_si256, _mm256_storeu_si256};

/// Runs of more than `(N - 1) * 32` and at most `N * 32` bytes, and at least 32: the last move ends with the run.
struct Registers<const N: usize>;

impl<const N: usize> Copy for Registers<N> {
    #[inline(always)]
    unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
        // SAFETY: the callers in this file have the instructions.
        unsafe { copy::<N>(from, to, len) };
    }
}

/// # Safety
/// As [`Copy::copy`].
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn copy<const N: usize>(from: *const u8, to: *mut u8, len: usize) {
    for step in 0..N {
        let at = if step + 1 < N { step * 32 } else { len - 32 };
        // SAFETY: `at + 32 <= len`, since `(N - 1) * 32 < len`.
        unsafe { _mm256_storeu_si256(to.add(at).cast(), _mm256_loadu_si256(from.add(at).cast())) };
    }
}

/// The kernel for runs of `len` bytes, if it is one that fills registers and is worth moves. Calling it needs AVX2.
pub(in super::super) fn kernel<D: Direction, A: Access>(len: usize) -> Option<UniformKernel> {
    macro_rules! choose {
        ($($moves:literal)*) => {
            match len.div_ceil(32) {
                $($moves if len >= 32 => Some(UniformKernel { all: all::<D, A, $moves>, one: one::<D, $moves> }),)*
                _ => None,
            }
        };
    }
    choose!(1 2 3 4 5 6 7 8)
}

/// # Safety
/// As [`Work::all`](super::Work::all), and the processor has AVX2; runs are of this number of registers.
#[target_feature(enable = "avx2")]
unsafe fn all<D: Direction, A: Access, const N: usize>(uniform: &Uniform, local: *mut u8, fronts: &mut [*mut u8]) {
    // SAFETY: as the caller says.
    unsafe { uniform::all::<D, Registers<N>, A>(uniform, local, fronts) };
}

/// # Safety
/// As [`Work::one`](super::Work::one), and the processor has AVX2; runs are of this number of registers.
#[target_feature(enable = "avx2")]
unsafe fn one<D: Direction, const N: usize>(uniform: &Uniform, peer: usize, local: *mut u8, front: *mut u8) {
    // SAFETY: as the caller says.
    unsafe { uniform::one::<D, Registers<N>>(uniform, peer, local, front) };
}
