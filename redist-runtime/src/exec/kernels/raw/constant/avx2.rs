//! Pairs of vectors of 16 bytes, from as many shuffles as the one with more inputs has.

use super::steps::{GROUP, steps};
use super::table::{MAX_INPUTS, NONE, SHORT_BYTES, VectorRead, VectorTable};
use super::{CompiledStep, Write, WriteStream, no_stream};
use crate::arithmetic::max;
use crate::program::MAX_STEP_PEERS;
use core::arch::x86_64::*;
use core::marker::PhantomData;

steps!([#[target_feature(enable = "avx2")]], SHORT, 2);

/// Which bytes of two inputs are taken.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Takes([[u8; SHORT_BYTES]; 2]);

impl Takes {
    const fn of(inputs: &[VectorRead; 2], unit: usize) -> Self {
        let (mut takes, mut byte) = ([[NONE; SHORT_BYTES]; 2], 0);
        while byte < 2 * SHORT_BYTES {
            let (vector, byte_of) = (byte / SHORT_BYTES, byte % SHORT_BYTES);
            let taken = inputs[vector].take[byte_of / unit];
            if taken != NONE {
                takes[vector][byte_of] = taken + (byte_of % unit) as u8;
            }
            byte += 1;
        }
        Self(takes)
    }
}

/// All that is known of a pair of vectors.
struct ShortPair {
    inputs: [[VectorRead; 2]; MAX_INPUTS],
    takes: [Takes; MAX_INPUTS],
    /// Bytes from the start of the step, in its stream.
    low: usize,
    /// The same of the other, if there is one.
    high: Option<usize>,
}

impl ShortPair {
    const fn of(table: &VectorTable, stream: usize, pair: usize) -> Self {
        let (mut inputs, mut number) = ([[VectorRead::NONE; 2]; MAX_INPUTS], 0);
        let mut takes = [Takes([[NONE; SHORT_BYTES]; 2]); MAX_INPUTS];
        let low = table.output(stream, 2 * pair);
        let high = match 2 * pair + 1 < table.count(stream) {
            true => Some(table.output(stream, 2 * pair + 1)),
            false => None,
        };
        let of_high = match &high {
            Some(high) => high.inputs,
            None => 0,
        };
        while number < max(low.inputs as usize, of_high as usize) {
            inputs[number][0] = table.input(&low, number);
            if let Some(high) = &high {
                inputs[number][1] = table.input(high, number);
            }
            takes[number] = Takes::of(&inputs[number], table.unit);
            number += 1;
        }
        let high = match high {
            Some(high) => Some(high.at as usize),
            None => None,
        };
        Self { inputs, takes, low: low.at as usize, high }
    }
}

/// A pair as a type.
struct ShortPairOf<S: ?Sized, const STREAM: usize, const PLACE: usize, const NUMBER: usize>(
    PhantomData<S>,
);

impl<S: CompiledStep, const STREAM: usize, const PLACE: usize, const NUMBER: usize>
    ShortPairOf<S, STREAM, PLACE, NUMBER>
{
    const PAIR: &'static ShortPair = &ShortPair::of(S::SHORT, STREAM, GROUP * PLACE + NUMBER);
}

/// What writes a pair, or its first vector alone, if there is one.
const fn write_of<S, const STREAM: usize, const PLACE: usize, const NUMBER: usize>() -> Option<Write>
where
    S: CompiledStep,
{
    let first = 2 * (GROUP * PLACE + NUMBER);
    match max(S::SHORT.inputs_of(STREAM, first), S::SHORT.inputs_of(STREAM, first + 1)) {
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
/// As [`Write`], of a pair with so many inputs.
#[inline]
#[target_feature(enable = "avx2")]
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
    let pair = ShortPairOf::<S, STREAM, PLACE, NUMBER>::PAIR;
    macro_rules! shuffled {
        ($($input:literal)*) => {{
            let mut vector = _mm256_setzero_si256();
            $(
                let [low, high] = pair.inputs[$input];
                // SAFETY: the caller vouches for all inputs.
                let [low, high] = unsafe { [load(low, from), load(high, from)] };
                let inputs = _mm256_set_m128i(high, low);
                let shuffled = _mm256_shuffle_epi8(inputs, takes(&pair.takes[$input]));
                vector = _mm256_or_si256(vector, shuffled);
            )*
            vector
        }};
    }
    let vector = match INPUTS {
        1 => shuffled!(0),
        2 => shuffled!(0 1),
        3 => shuffled!(0 1 2),
        4 => shuffled!(0 1 2 3),
        5 => shuffled!(0 1 2 3 4),
        6 => shuffled!(0 1 2 3 4 5),
        7 => shuffled!(0 1 2 3 4 5 6),
        _ => shuffled!(0 1 2 3 4 5 6 7),
    };
    let low = to.wrapping_add(pair.low);
    // SAFETY: outputs are vectors of the step. The last vector of a stream may have no other beside
    // it, or overlap the one before.
    unsafe {
        match pair.high {
            Some(high) if high == pair.low + SHORT_BYTES => _mm256_storeu_si256(low.cast(), vector),
            high => {
                _mm_storeu_si128(low.cast(), _mm256_castsi256_si128(vector));
                if let Some(high) = high {
                    let high = to.wrapping_add(high);
                    _mm_storeu_si128(high.cast(), _mm256_extracti128_si256::<1>(vector));
                }
            }
        }
    }
}

/// An input, or zeros where nothing is taken from it.
///
/// # Safety
/// The input may be read.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(input: VectorRead, from: &[*const u8; MAX_STEP_PEERS]) -> __m128i {
    if input.bytes == 0 {
        return _mm_setzero_si128();
    }
    let at = from[input.stream as usize].wrapping_add(input.at as usize);
    // SAFETY: the caller vouches for the input, which is a whole vector.
    unsafe { _mm_loadu_si128(at.cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn takes(takes: &Takes) -> __m256i {
    // SAFETY: these are as many bytes as a vector has, and aligned like one.
    unsafe { _mm256_load_si256(takes.0.as_ptr().cast()) }
}
