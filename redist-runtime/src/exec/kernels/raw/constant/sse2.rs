//! Vectors of 16 bytes, put together from runs of 4, 8 or 16 bytes.

use super::steps::{GROUP, steps};
use super::table::VectorWritten;
use super::{CompiledStep, OutputsOf, Write, WriteStream, no_stream};
use crate::program::MAX_STEP_PEERS;
use core::arch::x86_64::*;

steps!([#[target_feature(enable = "sse2")]], SHORT, 2);

/// Smallest number of bytes that all runs are multiples of.
pub(super) const MIN_UNIT_BYTES: usize = 4;

/// What writes a pair, or its first vector alone, if there is one.
const fn write_of<S, const STREAM: usize, const PLACE: usize, const NUMBER: usize>() -> Option<Write>
where
    S: CompiledStep,
{
    if S::SHORT.inputs_of(STREAM, 2 * (GROUP * PLACE + NUMBER)) == 0 {
        return None;
    }
    Some(match S::SHORT.unit {
        16 => write::<S, STREAM, PLACE, NUMBER, 16>,
        8 => write::<S, STREAM, PLACE, NUMBER, 8>,
        _ => write::<S, STREAM, PLACE, NUMBER, 4>,
    })
}

/// # Safety
/// As [`Write`], of vectors whose runs are multiples of `UNIT` bytes.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn write<
    S: CompiledStep,
    const STREAM: usize,
    const PLACE: usize,
    const NUMBER: usize,
    const UNIT: usize,
>(
    from: &[*const u8; MAX_STEP_PEERS],
    to: *mut u8,
) {
    let [first, second] = OutputsOf::<S, STREAM, PLACE, NUMBER>::PAIR;
    for output in [first, second].into_iter().flatten() {
        // SAFETY: the caller vouches for all inputs and outputs.
        unsafe {
            let vector = gathered::<UNIT>(output, from);
            _mm_storeu_si128(to.wrapping_add(output.at as usize).cast(), vector);
        }
    }
}

/// # Safety
/// As [`write`], for one vector.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn gathered<const UNIT: usize>(
    output: &VectorWritten,
    from: &[*const u8; MAX_STEP_PEERS],
) -> __m128i {
    let at = |byte: usize| {
        let origin = output.origins[byte / UNIT];
        from[origin.stream as usize].wrapping_add(origin.at as usize)
    };
    // SAFETY: `UNIT` bytes after each multiple of it lie together on both sides.
    unsafe {
        match UNIT {
            16 => _mm_loadu_si128(at(0).cast()),
            8 => _mm_unpacklo_epi64(_mm_loadu_si64(at(0)), _mm_loadu_si64(at(8))),
            _ => _mm_unpacklo_epi64(
                _mm_unpacklo_epi32(_mm_loadu_si32(at(0)), _mm_loadu_si32(at(4))),
                _mm_unpacklo_epi32(_mm_loadu_si32(at(8)), _mm_loadu_si32(at(12))),
            ),
        }
    }
}
