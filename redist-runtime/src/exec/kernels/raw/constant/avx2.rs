//! Pairs of vectors of 16 bytes; the shuffles of a pair are those of its vector with more inputs.

use super::fit::SHORT_BYTES;
use super::step::{CompiledStep, Write, WriteStream, no_stream};
use super::steps::steps;
use super::table::{VectorRead, VectorTable};
use crate::program::MAX_STEP_PEERS;
use core::arch::x86_64::*;

steps!(#[target_feature(enable = "avx2")], SHORT, 2);

#[derive(Clone, Copy)]
#[repr(align(32))]
struct Takes([[u8; SHORT_BYTES]; 2]);

/// One input of both vectors of a pair. One constant, because each costs compile time.
struct Inputs {
    takes: Takes,
    low: VectorRead,
    high: VectorRead,
}

impl Inputs {
    const fn new(table: &VectorTable, stream: usize, pair: usize, input: usize) -> Self {
        let low = table.input(stream, 2 * pair, input);
        let high = table.input(stream, 2 * pair + 1, input);
        Self { takes: Takes([low.take, high.take]), low, high }
    }
}

/// # Safety
/// All streams `from` may be read and stream `to` written for the step, as the table says.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn write<S: CompiledStep, const STREAM: usize, const PAIR: usize>(
    from: [*const u8; MAX_STEP_PEERS],
    to: *mut u8,
) {
    let mut vector = _mm256_setzero_si256();
    macro_rules! shuffle {
        ($($input:literal)*) => {
            $(if const {
                $input < S::SHORT.inputs_of(STREAM, 2 * PAIR)
                    || $input < S::SHORT.inputs_of(STREAM, 2 * PAIR + 1)
            } {
                let inputs = const { &Inputs::new(S::SHORT, STREAM, PAIR, $input) };
                // SAFETY: the caller vouches for all inputs of both vectors.
                let [low, high] = unsafe { [load(inputs.low, from), load(inputs.high, from)] };
                let takes = takes(&inputs.takes);
                let shuffled = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), takes);
                vector = _mm256_or_si256(vector, shuffled);
            })*
        };
    }
    shuffle!(0 1 2 3 4 5 6 7);
    let low = to.wrapping_add(const { S::SHORT.output(STREAM, 2 * PAIR).0 });
    // A stream's last vector may stand alone, or overlap the one before.
    let high = const {
        match 2 * PAIR + 1 < S::SHORT.count(STREAM) {
            true => Some(S::SHORT.output(STREAM, 2 * PAIR + 1).0),
            false => None,
        }
    };
    let apart = const {
        2 * PAIR + 1 >= S::SHORT.count(STREAM)
            || S::SHORT.output(STREAM, 2 * PAIR).0 + SHORT_BYTES
                != S::SHORT.output(STREAM, 2 * PAIR + 1).0
    };
    // SAFETY: outputs are vectors of the step, vouched for by the caller.
    unsafe {
        if !apart {
            return _mm256_storeu_si256(low.cast(), vector);
        }
        _mm_storeu_si128(low.cast(), _mm256_castsi256_si128(vector));
        if let Some(high) = high {
            let high = to.wrapping_add(high);
            _mm_storeu_si128(high.cast(), _mm256_extracti128_si256::<1>(vector));
        }
    }
}

/// Loads an input; zeros if nothing is taken from it.
///
/// # Safety
/// The input may be read.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(input: VectorRead, from: [*const u8; MAX_STEP_PEERS]) -> __m128i {
    if input.units == 0 {
        return _mm_setzero_si128();
    }
    let at = from[input.stream as usize].wrapping_add(input.at as usize);
    // SAFETY: the caller vouches for the input, which is a whole vector.
    unsafe { _mm_loadu_si128(at.cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn takes(takes: &Takes) -> __m256i {
    // SAFETY: the array has a vector's number of bytes and its alignment.
    unsafe { _mm256_load_si256(takes.0.as_ptr().cast()) }
}
