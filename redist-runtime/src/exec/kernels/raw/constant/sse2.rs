//! Vectors of 16 bytes, put together from runs of 4, 8 or 16 bytes.

use super::steps::steps;
use super::table::VectorWritten;
use super::{CompiledStep, Write, WriteStream, no_stream};
use crate::program::MAX_STEP_PEERS;
use core::arch::x86_64::*;

steps!(#[target_feature(enable = "sse2")], SHORT, 2);

/// Smallest number of bytes that all runs are multiples of.
pub(super) const MIN_UNIT_BYTES: usize = 4;

/// # Safety
/// The step may be read in all streams `from` on, and written in the stream `to` on, as the table
/// says, whose runs are multiples of [`MIN_UNIT_BYTES`].
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn write<S: CompiledStep, const STREAM: usize, const PAIR: usize>(
    from: [*const u8; MAX_STEP_PEERS],
    to: *mut u8,
) {
    // SAFETY: the caller vouches for all inputs and outputs.
    unsafe {
        let output = const { S::SHORT.short_output(STREAM, 2 * PAIR) };
        let vector = gathered(const { S::SHORT.unit }, output, from);
        _mm_storeu_si128(to.wrapping_add(output.at).cast(), vector);
        if const { 2 * PAIR + 1 < S::SHORT.count(STREAM) } {
            let output = const { S::SHORT.short_output(STREAM, 2 * PAIR + 1) };
            let vector = gathered(const { S::SHORT.unit }, output, from);
            _mm_storeu_si128(to.wrapping_add(output.at).cast(), vector);
        }
    }
}

/// # Safety
/// As [`write`], for one vector.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn gathered(
    unit: usize,
    output: VectorWritten,
    from: [*const u8; MAX_STEP_PEERS],
) -> __m128i {
    let at = |byte: usize| {
        from[output.streams[byte] as usize].wrapping_add(output.places[byte] as usize)
    };
    // SAFETY: `unit` bytes after each multiple of it lie together on both sides.
    unsafe {
        match unit {
            16 => _mm_loadu_si128(at(0).cast()),
            8 => _mm_unpacklo_epi64(_mm_loadu_si64(at(0)), _mm_loadu_si64(at(8))),
            _ => _mm_unpacklo_epi64(
                _mm_unpacklo_epi32(_mm_loadu_si32(at(0)), _mm_loadu_si32(at(4))),
                _mm_unpacklo_epi32(_mm_loadu_si32(at(8)), _mm_loadu_si32(at(12))),
            ),
        }
    }
}
