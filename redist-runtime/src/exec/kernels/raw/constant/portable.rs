//! Vectors of 16 bytes as copies of constant lengths: what other modules do, on any processor.

use super::steps::{GROUP, steps};
use super::table::VectorWritten;
use super::{CompiledStep, OutputsOf, Write, WriteStream, no_stream};
use crate::program::MAX_STEP_PEERS;

steps!([], SHORT, 2);

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
        4 => write::<S, STREAM, PLACE, NUMBER, 4>,
        2 => write::<S, STREAM, PLACE, NUMBER, 2>,
        _ => write::<S, STREAM, PLACE, NUMBER, 1>,
    })
}

/// # Safety
/// As [`Write`], of vectors whose runs are multiples of `UNIT` bytes.
#[inline]
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
        // SAFETY: the caller vouches for all inputs and outputs; `UNIT` bytes after each multiple of
        // it lie together on both sides.
        unsafe { units::<UNIT>(output, from, to.wrapping_add(output.at as usize)) };
    }
}

/// # Safety
/// As [`write`], for the vector at `to`, whose bytes come in units of `UNIT`.
#[inline]
unsafe fn units<const UNIT: usize>(
    output: &VectorWritten,
    from: &[*const u8; MAX_STEP_PEERS],
    to: *mut u8,
) {
    for byte in (0..16).step_by(UNIT) {
        let origin = output.origins[byte / UNIT];
        let from = from[origin.stream as usize].wrapping_add(origin.at as usize);
        // SAFETY: the caller vouches for these bytes on both sides.
        unsafe { core::ptr::copy_nonoverlapping(from, to.wrapping_add(byte), UNIT) };
    }
}
