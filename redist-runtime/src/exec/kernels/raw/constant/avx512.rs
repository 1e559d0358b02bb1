//! Vectors of 16 lanes of 4 bytes, from as many permutations as they have inputs.

use super::steps::{GROUP, steps};
use super::table::{LONG_BYTES, MAX_INPUTS, NONE, VectorRead, VectorTable};
use super::{CompiledStep, Write, WriteStream, no_stream};
use crate::program::MAX_STEP_PEERS;
use core::arch::x86_64::*;
use core::marker::PhantomData;

steps!([#[target_feature(enable = "avx512f")]], LONG, 1);

/// Bytes of a lane.
const LANE_BYTES: usize = 4;

/// Lanes of a vector.
const LANES: usize = LONG_BYTES / LANE_BYTES;

/// Numbers of lanes.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct LaneNumbers([u32; LANES]);

impl LaneNumbers {
    /// For each lane of an output, the lane of an input that it is, counted from 16 on, or itself.
    const fn of(input: &VectorRead, unit: usize) -> Self {
        let (mut lanes, mut lane) = ([0; LANES], 0);
        while lane < LANES {
            let byte = lane * LANE_BYTES;
            lanes[lane] = match input.take[byte / unit] {
                NONE => lane as u32,
                taken => (LANES + (taken as usize + byte % unit) / LANE_BYTES) as u32,
            };
            lane += 1;
        }
        Self(lanes)
    }
}

/// All that is known of a vector.
struct LongVector {
    /// Bytes from the start of the step, in its stream.
    at: usize,
    /// Bytes that are written.
    bytes: u8,
    inputs: [VectorRead; MAX_INPUTS],
    lanes: [LaneNumbers; MAX_INPUTS],
}

impl LongVector {
    const fn of(table: &VectorTable, stream: usize, number: usize) -> Self {
        let output = table.output(stream, number);
        let (mut inputs, mut number) = ([VectorRead::NONE; MAX_INPUTS], 0);
        let mut lanes = [LaneNumbers([0; LANES]); MAX_INPUTS];
        while number < output.inputs as usize {
            inputs[number] = table.input(&output, number);
            lanes[number] = LaneNumbers::of(&inputs[number], table.unit);
            number += 1;
        }
        Self { at: output.at as usize, bytes: output.bytes, inputs, lanes }
    }
}

/// A vector as a type.
struct LongVectorOf<S: ?Sized, const STREAM: usize, const PLACE: usize, const NUMBER: usize>(
    PhantomData<S>,
);

impl<S: CompiledStep, const STREAM: usize, const PLACE: usize, const NUMBER: usize>
    LongVectorOf<S, STREAM, PLACE, NUMBER>
{
    const VECTOR: &'static LongVector = &LongVector::of(S::LONG, STREAM, GROUP * PLACE + NUMBER);
}

/// What writes a vector, if there is one.
const fn write_of<S, const STREAM: usize, const PLACE: usize, const NUMBER: usize>() -> Option<Write>
where
    S: CompiledStep,
{
    match S::LONG.inputs_of(STREAM, GROUP * PLACE + NUMBER) {
        0 => None,
        1 => Some(write::<S, STREAM, PLACE, NUMBER, 1>),
        2 => Some(write::<S, STREAM, PLACE, NUMBER, 2>),
        3 => Some(write::<S, STREAM, PLACE, NUMBER, 3>),
        4 => Some(write::<S, STREAM, PLACE, NUMBER, 4>),
        5 => Some(write::<S, STREAM, PLACE, NUMBER, 5>),
        6 => Some(write::<S, STREAM, PLACE, NUMBER, 6>),
        7 => Some(write::<S, STREAM, PLACE, NUMBER, 7>),
        _ => Some(write::<S, STREAM, PLACE, NUMBER, 8>),
    }
}

/// # Safety
/// As [`Write`], of a vector with so many inputs.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn write<
    S: CompiledStep,
    const STREAM: usize,
    const PLACE: usize,
    const NUMBER: usize,
    const INPUTS: usize,
>(
    from: &[*const u8; MAX_STEP_PEERS],
    to: *mut u8,
) {
    let output = LongVectorOf::<S, STREAM, PLACE, NUMBER>::VECTOR;
    macro_rules! merged {
        ($($input:literal)*) => {{
            let mut vector = _mm512_undefined_epi32();
            $(
                // SAFETY: the caller vouches for all inputs of the vectors that the table has.
                let loaded = unsafe { load(output.inputs[$input], from) };
                let lanes = loaded_lanes(&output.lanes[$input]);
                vector = match $input {
                    0 => _mm512_permutexvar_epi32(lanes, loaded),
                    _ => _mm512_permutex2var_epi32(vector, lanes, loaded),
                };
            )*
            vector
        }};
    }
    let vector = match INPUTS {
        1 => merged!(0),
        2 => merged!(0 1),
        3 => merged!(0 1 2),
        4 => merged!(0 1 2 3),
        5 => merged!(0 1 2 3 4),
        6 => merged!(0 1 2 3 4 5),
        7 => merged!(0 1 2 3 4 5 6),
        _ => merged!(0 1 2 3 4 5 6 7),
    };
    let to = to.wrapping_add(output.at);
    // SAFETY: outputs are vectors of the step, or as many lanes as their stream has.
    unsafe {
        match output.bytes as usize {
            LONG_BYTES => _mm512_storeu_si512(to.cast(), vector),
            bytes => _mm512_mask_storeu_epi32(to.cast(), mask(bytes), vector),
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn loaded_lanes(lanes: &LaneNumbers) -> __m512i {
    // SAFETY: these are 16 numbers of 4 bytes, as long as a vector, and aligned like one.
    unsafe { _mm512_load_si512(lanes.0.as_ptr().cast()) }
}

/// # Safety
/// The input's bytes may be read.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load(input: VectorRead, from: &[*const u8; MAX_STEP_PEERS]) -> __m512i {
    let at = from[input.stream as usize].wrapping_add(input.at as usize);
    // SAFETY: the caller vouches for these lanes.
    unsafe {
        match input.bytes as usize {
            LONG_BYTES => _mm512_loadu_si512(at.cast()),
            bytes => _mm512_maskz_loadu_epi32(mask(bytes), at.cast()),
        }
    }
}

/// The lanes of the first bytes.
#[inline]
fn mask(bytes: usize) -> u16 {
    (1 << (bytes / LANE_BYTES)) - 1
}
