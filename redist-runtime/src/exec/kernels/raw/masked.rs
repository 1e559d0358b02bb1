//! Copies of runs of any length by AVX-512: whole vectors, and one masked vector for what is left. No branch depends on
//! the length of a run up to 64 bytes.

use super::memory::Access;
use super::moves::Copy;
use super::table;
use super::{Table, TableKernel};
use crate::exec::kernels::Direction;
use core::arch::x86_64::{_mm512_loadu_si512, _mm512_mask_storeu_epi8, _mm512_maskz_loadu_epi8, _mm512_storeu_si512};

/// The kernel for runs of any lengths. Calling it needs AVX-512 F and BW.
pub(in super::super) fn kernel<D: Direction, A: Access>() -> TableKernel {
    TableKernel { all: all::<D, A>, one: one::<D> }
}

struct Masked;

impl Copy for Masked {
    #[inline(always)]
    unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
        // SAFETY: the callers in this file have the instructions.
        unsafe { copy(from, to, len) };
    }
}

/// # Safety
/// As [`Copy::copy`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn copy(mut from: *const u8, mut to: *mut u8, mut len: usize) {
    // SAFETY: whole vectors while more than one is left; then `1 <= len <= 64`, and the mask lets through so many bytes.
    unsafe {
        while len > 64 {
            _mm512_storeu_si512(to.cast(), _mm512_loadu_si512(from.cast()));
            (from, to, len) = (from.add(64), to.add(64), len - 64);
        }
        let mask = u64::MAX >> (64 - len);
        _mm512_mask_storeu_epi8(to.cast(), mask, _mm512_maskz_loadu_epi8(mask, from.cast()));
    }
}

/// # Safety
/// As [`Work::all`](super::Work::all), and the processor has AVX-512 F and BW.
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn all<D: Direction, A: Access>(table: &Table, local: *mut u8, fronts: &mut [*mut u8]) {
    // SAFETY: as the caller says.
    unsafe { table::all::<D, Masked, A>(table, local, fronts) };
}

/// # Safety
/// As [`Work::one`](super::Work::one), and the processor has AVX-512 F and BW.
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn one<D: Direction>(table: &Table, peer: usize, local: *mut u8, front: *mut u8) {
    // SAFETY: as the caller says.
    unsafe { table::one::<D, Masked>(table, peer, local, front) };
}
