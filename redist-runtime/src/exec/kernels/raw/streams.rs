//! Vectors that are stored past the caches where their address allows it, and ordinarily elsewhere.
//!
//! Neighbouring stores of 16 bytes become one of a whole line, so that is what an address must be a multiple of. The portable
//! twins are ordinary stores.

use core::arch::x86_64::*;

/// Stores 16 bytes.
///
/// # Safety
/// They may be written.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) unsafe fn stream_16(at: *mut u8, lanes: __m128i) {
    // SAFETY: as the caller says; a stream is aligned.
    unsafe {
        match at.addr().is_multiple_of(16) {
            true => _mm_stream_si128(at.cast(), lanes),
            false => _mm_storeu_si128(at.cast(), lanes),
        }
    }
}

/// Stores 32 bytes.
///
/// # Safety
/// They may be written.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn stream_32(at: *mut u8, lanes: __m256i) {
    // SAFETY: as the caller says; streams are aligned.
    unsafe {
        match at.addr() % 32 {
            0 => _mm256_stream_si256(at.cast(), lanes),
            16 => {
                _mm_stream_si128(at.cast(), _mm256_castsi256_si128(lanes));
                _mm_stream_si128(at.add(16).cast(), _mm256_extracti128_si256::<1>(lanes));
            }
            _ => _mm256_storeu_si256(at.cast(), lanes),
        }
    }
}

/// Stores 64 bytes.
///
/// # Safety
/// They may be written.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn stream_64(at: *mut u8, lanes: __m512i) {
    // SAFETY: as the caller says; streams are aligned.
    unsafe {
        match at.addr() % 64 {
            0 => _mm512_stream_si512(at.cast(), lanes),
            16 | 32 | 48 => {
                _mm_stream_si128(at.cast(), _mm512_castsi512_si128(lanes));
                _mm_stream_si128(at.add(16).cast(), _mm512_extracti32x4_epi32::<1>(lanes));
                _mm_stream_si128(at.add(32).cast(), _mm512_extracti32x4_epi32::<2>(lanes));
                _mm_stream_si128(at.add(48).cast(), _mm512_extracti32x4_epi32::<3>(lanes));
            }
            _ => _mm512_storeu_si512(at.cast(), lanes),
        }
    }
}
