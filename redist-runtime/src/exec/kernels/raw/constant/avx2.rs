//! Pairs of vectors of 16 bytes; the shuffles of a pair are those of its vector with more inputs.

use super::fit::SHORT_BYTES;
use super::step::{CompiledStep, Write, WriteStream, no_stream};
use super::steps::{by_inputs, steps};
use super::table::{NONE, Place, VectorTable};
use crate::program::MAX_STEP_PEERS;
use core::arch::x86_64::*;
use redist_plan::arithmetic::max;

steps!(#[target_feature(enable = "avx2")], SHORT, 2);

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

/// Returns the inputs of the vector that has more.
const fn inputs<S: CompiledStep, const STREAM: usize, const PAIR: usize>() -> usize {
    let (low, high) = (2 * PAIR, 2 * PAIR + 1);
    max(S::SHORT.inputs_of(STREAM, low), S::SHORT.inputs_of(STREAM, high))
}

macro_rules! written {
    ($from:ident, $to:ident, [$($input:literal)*]) => {{
        let mut vector = _mm256_setzero_si256();
        $(
            let low = const { S::SHORT.input(STREAM, 2 * NUMBER, $input) };
            let high = const { S::SHORT.input(STREAM, 2 * NUMBER + 1, $input) };
            let taken = takes(const { &Takes::of(S::SHORT, STREAM, NUMBER, $input) });
            // SAFETY: the caller vouches for all inputs of both vectors.
            let both = unsafe { _mm256_set_m128i(load(high, $from), load(low, $from)) };
            let shuffled = _mm256_shuffle_epi8(both, taken);
            vector = match $input {
                0 => shuffled,
                _ => _mm256_or_si256(vector, shuffled),
            };
        )*
        let low = $to.wrapping_add(const { S::SHORT.output(STREAM, 2 * NUMBER).at() });
        // A stream's last vector may stand alone, or overlap the one before.
        let distance = const {
            match 2 * NUMBER + 1 < S::SHORT.count(STREAM) {
                true => {
                    let low = S::SHORT.output(STREAM, 2 * NUMBER).at();
                    S::SHORT.output(STREAM, 2 * NUMBER + 1).at() - low
                }
                false => 0,
            }
        };
        // SAFETY: outputs are vectors of the step, which the caller vouches for.
        unsafe {
            match distance {
                SHORT_BYTES => _mm256_storeu_si256(low.cast(), vector),
                _ => {
                    _mm_storeu_si128(low.cast(), _mm256_castsi256_si128(vector));
                    if distance > 0 {
                        let high = low.wrapping_add(distance);
                        _mm_storeu_si128(high.cast(), _mm256_extracti128_si256::<1>(vector));
                    }
                }
            }
        }
    }};
}

by_inputs!(#[target_feature(enable = "avx2")], inputs, written);

/// Loads an input; zeros if nothing is taken from it.
///
/// # Safety
/// The input may be read.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(input: Place, from: &[*const u8; MAX_STEP_PEERS]) -> __m128i {
    if input.units() == 0 {
        return _mm_setzero_si128();
    }
    let at = from[input.stream()].wrapping_add(input.at());
    // SAFETY: the caller vouches for the input, which is a whole vector.
    unsafe { _mm_loadu_si128(at.cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn takes(takes: &Takes) -> __m256i {
    // SAFETY: the array has a vector's number of bytes and its alignment.
    unsafe { _mm256_load_si256(takes.0.as_ptr().cast()) }
}
