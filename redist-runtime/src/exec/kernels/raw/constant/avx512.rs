//! Vectors of 16 lanes of 4 bytes, from as many permutations as they have inputs.

use super::steps::steps;
use super::table::{NONE, VECTOR_UNITS, VectorRead};
use super::{CompiledStep, Write, WriteStream, no_stream};
use crate::program::MAX_STEP_PEERS;
use core::arch::x86_64::*;

steps!(#[target_feature(enable = "avx512f")], LONG, 1);

/// Bytes of a lane.
const LANE_BYTES: usize = 4;

/// Numbers of lanes.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct LaneNumbers([u32; VECTOR_UNITS]);

impl LaneNumbers {
    /// For each lane of an output, the lane of an input that it is, counted from 16 on, or itself.
    const fn of(take: [u8; VECTOR_UNITS]) -> Self {
        let (mut lanes, mut lane) = ([0; VECTOR_UNITS], 0);
        while lane < VECTOR_UNITS {
            lanes[lane] = match take[lane] {
                NONE => lane as u32,
                taken => (VECTOR_UNITS as u32) + taken as u32,
            };
            lane += 1;
        }
        Self(lanes)
    }
}

/// # Safety
/// The step may be read in all streams `from` on, and written in the stream `to` on, as the table
/// says.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn write<S: CompiledStep, const STREAM: usize, const NUMBER: usize>(
    from: [*const u8; MAX_STEP_PEERS],
    to: *mut u8,
) {
    let mut vector = _mm512_undefined_epi32();
    macro_rules! merge {
        ($($input:literal)*) => {
            $(if const { $input < S::LONG.inputs_of(STREAM, NUMBER) } {
                let input = const { S::LONG.input(STREAM, NUMBER, $input) };
                let lanes = const { &LaneNumbers::of(S::LONG.input(STREAM, NUMBER, $input).take) };
                // SAFETY: the caller vouches for all inputs of the vectors that the table has.
                let loaded = unsafe { load(input, from) };
                let lanes = loaded_lanes(lanes);
                vector = match $input {
                    0 => _mm512_permutexvar_epi32(lanes, loaded),
                    _ => _mm512_permutex2var_epi32(vector, lanes, loaded),
                };
            })*
        };
    }
    merge!(0 1 2 3 4 5 6 7);
    let (at, units) = const {
        let output = S::LONG.output(STREAM, NUMBER);
        (output.at as usize * LANE_BYTES, output.units)
    };
    let to = to.wrapping_add(at);
    // SAFETY: outputs are vectors of the step, or as many lanes as their stream has.
    unsafe {
        match units {
            16 => _mm512_storeu_si512(to.cast(), vector),
            units => _mm512_mask_storeu_epi32(to.cast(), mask(units), vector),
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
/// The input's units may be read.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load(input: VectorRead, from: [*const u8; MAX_STEP_PEERS]) -> __m512i {
    let at = from[input.stream as usize].wrapping_add(input.at as usize * LANE_BYTES);
    // SAFETY: the caller vouches for these lanes.
    unsafe {
        match input.units {
            16 => _mm512_loadu_si512(at.cast()),
            units => _mm512_maskz_loadu_epi32(mask(units), at.cast()),
        }
    }
}

/// The first lanes.
#[inline]
fn mask(units: u8) -> u16 {
    (1 << units) - 1
}
