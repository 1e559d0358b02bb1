//! Pairs of vectors of 16 bytes; a pair takes the shuffles of its vector with more inputs.

use super::step::{CompiledStep, Write, WriteStream, no_stream};
use super::steps::{AtAnyAddress, advance, by_inputs, counted, place, steps};
use super::table::{NONE, SHORT_BYTES, VectorTable, WrittenVector};
use crate::program::MAX_STEP_PEERS;
use core::arch::x86_64::*;
use core::mem::transmute;
use redist_plan::arithmetic::max;

steps!(#[target_feature(enable = "avx2")], SHORT, 2);

/// Numbers of the bytes that both vectors of a pair take from one of their inputs.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Takes([[u8; SHORT_BYTES]; 2]);

impl Takes {
    const fn of(table: &VectorTable, stream: usize, pair: usize, input: usize) -> Self {
        const NOTHING: [u8; SHORT_BYTES] = [NONE; SHORT_BYTES];
        Self([
            table.takes((stream, 2 * pair, input), 0, NOTHING),
            table.takes((stream, 2 * pair + 1, input), 0, NOTHING),
        ])
    }
}

/// The vectors of a pair; the second has no inputs if there is none.
struct VectorPair {
    vectors: [WrittenVector; 2],
    /// The larger number of input vectors of the pair.
    count: usize,
    /// Bytes from the first vector to the second; 0 if there is none.
    distance: usize,
}

impl VectorPair {
    const fn of(table: &VectorTable, stream: usize, pair: usize) -> Self {
        let [low, high] = [table.vector(stream, 2 * pair), table.vector(stream, 2 * pair + 1)];
        let distance =
            if high.count > 0 { (high.output >> 16) - (low.output >> 16) } else { 0 } as usize;
        Self { vectors: [low, high], count: max(low.count, high.count), distance }
    }
}

/// A pair of a step's written vectors as a type.
struct PairedVectors<S, const STREAM: usize, const PAIR: usize>(S);

impl<S: CompiledStep, const STREAM: usize, const PAIR: usize> PairedVectors<S, STREAM, PAIR> {
    const IT: VectorPair = VectorPair::of(S::SHORT, STREAM, PAIR);
}

const fn inputs<S: CompiledStep, const STREAM: usize, const PAIR: usize>() -> usize {
    PairedVectors::<S, STREAM, PAIR>::IT.count
}

/// Loads an input; zeros if nothing is taken from it.
macro_rules! loaded {
    ($from:ident, $vector:literal, $input:literal) => {
        if const { PairedVectors::<S, STREAM, NUMBER>::IT.vectors[$vector].inputs[$input] > 0 } {
            let input =
                const { PairedVectors::<S, STREAM, NUMBER>::IT.vectors[$vector].inputs[$input] };
            let (stream, at) = ((input & 0xFF) as usize, (input >> 16) as usize);
            // SAFETY: the caller vouches for all inputs, which are whole vectors.
            unsafe { (*(place!($from[stream], at) as *const AtAnyAddress<__m128i>)).0 }
        } else {
            ZEROS
        }
    };
}

// SAFETY: vectors are of numbers, and as long as the array.
/// An input of which nothing is taken.
const ZEROS: __m128i = unsafe { transmute::<[u8; SHORT_BYTES], __m128i>([0; SHORT_BYTES]) };

macro_rules! shuffled {
    ($from:ident, $input:literal) => {{
        let [low, high] = [loaded!($from, 0, $input), loaded!($from, 1, $input)];
        let taken = const { &Takes::of(S::SHORT, STREAM, NUMBER, $input) };
        // SAFETY: a vector is as long as two of half its length, and as aligned as the numbers.
        let (both, taken) = unsafe {
            (
                transmute::<[__m128i; 2], __m256i>([low, high]),
                *(&raw const taken.0 as *const __m256i),
            )
        };
        _mm256_shuffle_epi8(both, taken)
    }};
}

macro_rules! written {
    ($from:ident, $to:ident, [$first:literal $($input:literal)*]) => {{
        let vector = shuffled!($from, $first);
        $(let vector = _mm256_or_si256(vector, shuffled!($from, $input));)*
        // SAFETY: outputs are vectors of the step, which the caller vouches for. A stream's last
        // vector may have no second one, or overlap the vector before.
        unsafe {
            let low = place!($to, const { PairedVectors::<S, STREAM, NUMBER>::IT.vectors[0].output } as usize >> 16);
            if const { PairedVectors::<S, STREAM, NUMBER>::IT.distance == SHORT_BYTES } {
                (*(low as *mut AtAnyAddress<__m256i>)).0 = vector;
            } else {
                let halves = transmute::<__m256i, [__m128i; 2]>(vector);
                (*(low as *mut AtAnyAddress<__m128i>)).0 = halves[0];
                if const { PairedVectors::<S, STREAM, NUMBER>::IT.distance > 0 } {
                    let high = place!(low, const { PairedVectors::<S, STREAM, NUMBER>::IT.distance });
                    (*(high as *mut AtAnyAddress<__m128i>)).0 = halves[1];
                }
            }
        }
    }};
}

by_inputs!((inline, target_feature(enable = "avx2")), inputs, written);
