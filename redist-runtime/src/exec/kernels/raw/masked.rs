//! Copies runs of any length by AVX-512, up to 64 bytes without a branch on the length.

use super::moves::CopyRun;
use super::table::{self, PatternTable};
use crate::exec::kernels::CopyDirection;
use core::arch::x86_64::{
    _mm512_loadu_si512, _mm512_mask_storeu_epi8, _mm512_maskz_loadu_epi8, _mm512_storeu_si512,
};

/// Copies runs by vectors of 64 bytes, of which a mask selects the last one's bytes.
struct Masked;

impl CopyRun for Masked {
    #[inline(always)]
    unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
        // SAFETY: the caller vouches for the bytes. Only `all` below names this type; it has the
        // instructions and copies runs of at least a byte.
        unsafe { copy(from, to, len) };
    }
}

/// # Safety
/// The contract of [`CopyRun::copy`] holds, for lengths of at least 1; the processor has AVX-512 F
/// and BW.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn copy(mut from: *const u8, mut to: *mut u8, mut len: usize) {
    // SAFETY: the caller vouches for `len` bytes, at least 1. Whole vectors are copied while more
    // than one is left. Then `1 <= len <= 64`, and the mask has the first `len` bits, so no other
    // byte is read or written.
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
/// The contract of [`Work::all`](super::Work::all) holds, and the processor has AVX-512 F and BW.
#[target_feature(enable = "avx512f,avx512bw")]
pub(in super::super) unsafe fn all<D: CopyDirection, const ASKS: bool>(
    table: &PatternTable,
    local: *mut u8,
    cursors: &mut [*mut u8],
) {
    // SAFETY: the caller vouches for the table's bytes. `Masked` copies runs of at least a byte, as
    // all runs of a [`Pattern`](super::Pattern) are.
    unsafe { table::all::<D, Masked, ASKS>(table, local, cursors) };
}
