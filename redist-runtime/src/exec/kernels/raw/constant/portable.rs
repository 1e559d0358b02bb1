//! Vectors of 16 bytes, assembled from units of constant length on any processor.

use super::step::{CompiledStep, Write, WriteStream, no_stream};
use super::steps::steps;
use super::table::VectorWritten;
use crate::program::MAX_STEP_PEERS;
use core::array::from_fn;

steps!(#[doc = "On any processor."], SHORT, 2);

/// # Safety
/// All streams `from` may be read and stream `to` written for the step, as the table says.
#[inline]
unsafe fn write<S: CompiledStep, const STREAM: usize, const PAIR: usize>(
    from: [*const u8; MAX_STEP_PEERS],
    to: *mut u8,
) {
    // SAFETY: the caller vouches for all inputs and outputs.
    unsafe {
        let output = const { S::SHORT.short_output(STREAM, 2 * PAIR) };
        gather(const { S::SHORT.unit }, output, from, to);
        if const { 2 * PAIR + 1 < S::SHORT.count(STREAM) } {
            let output = const { S::SHORT.short_output(STREAM, 2 * PAIR + 1) };
            gather(const { S::SHORT.unit }, output, from, to);
        }
    }
}

/// # Safety
/// As [`write`], for one vector.
#[inline]
unsafe fn gather(
    unit: usize,
    output: VectorWritten,
    from: [*const u8; MAX_STEP_PEERS],
    to: *mut u8,
) {
    let to = to.wrapping_add(output.at);
    // SAFETY: `unit` bytes from each multiple of it lie together on both sides.
    unsafe {
        match unit {
            16 => units::<16, 1>(output, from, to),
            8 => units::<8, 2>(output, from, to),
            4 => units::<4, 4>(output, from, to),
            2 => units::<2, 8>(output, from, to),
            _ => units::<1, 16>(output, from, to),
        }
    }
}

/// # Safety
/// As [`write`], for the vector at `to`, whose bytes come in `UNITS` units of `UNIT` bytes.
#[inline]
unsafe fn units<const UNIT: usize, const UNITS: usize>(
    output: VectorWritten,
    from: [*const u8; MAX_STEP_PEERS],
    to: *mut u8,
) {
    let at = |unit: usize| {
        let (stream, place) = (output.streams[unit * UNIT], output.places[unit * UNIT]);
        from[stream as usize].wrapping_add(place as usize).cast::<[u8; UNIT]>()
    };
    // SAFETY: the caller vouches for these bytes on both sides; arrays of bytes may lie anywhere.
    unsafe {
        let units: [[u8; UNIT]; UNITS] = from_fn(|unit| at(unit).read_unaligned());
        to.cast::<[[u8; UNIT]; UNITS]>().write_unaligned(units);
    }
}
