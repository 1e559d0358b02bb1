//! Vectors of 16 bytes, each looked up in up to four others at a time.

use super::step::{CompiledStep, Write, WriteStream, no_stream};
use super::steps::{advance, counted, place, steps};
use super::table::{NONE, SHORT_BYTES, VectorTable, WrittenVector};
use crate::program::MAX_STEP_PEERS;
use core::arch::aarch64::*;

steps!(#[target_feature(enable = "neon")], SHORT, 2);

/// Inputs that one table look-up can take bytes from.
const LOOKED_UP: usize = 4;

/// For each byte of an output, its number in [`LOOKED_UP`] inputs together.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct ByteNumbers([u8; SHORT_BYTES]);

impl ByteNumbers {
    /// Returns the numbers in the inputs from `first` on; other bytes get a number past all.
    const fn of(table: &VectorTable, stream: usize, number: usize, first: usize) -> Self {
        let (mut numbers, mut input) = ([NONE; SHORT_BYTES], 0);
        while input < LOOKED_UP {
            let base = input * SHORT_BYTES;
            numbers = table.takes((stream, number, first + input), base, numbers);
            input += 1;
        }
        Self(numbers)
    }

    const fn is_first(&self) -> bool {
        let mut byte = 0;
        while byte < SHORT_BYTES {
            if self.0[byte] as usize != byte {
                return false;
            }
            byte += 1;
        }
        true
    }
}

/// A written vector of a step as a type: number `OF` of a pair.
struct ShortVector<S, const STREAM: usize, const PAIR: usize, const OF: usize>(S);

impl<S: CompiledStep, const STREAM: usize, const PAIR: usize, const OF: usize>
    ShortVector<S, STREAM, PAIR, OF>
{
    const IT: WrittenVector = S::SHORT.vector(STREAM, 2 * PAIR + OF);
}

/// # Safety
/// All streams `from` may be read and stream `to` written for the step, as the table says.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn write_pair<S: CompiledStep, const STREAM: usize, const PAIR: usize>(
    from: &[*const u8; MAX_STEP_PEERS],
    to: *mut u8,
) {
    // SAFETY: the caller vouches for all inputs and outputs; the count says if a second one exists.
    unsafe {
        write_one::<S, STREAM, PAIR, 0>(from, to);
        if const { 2 * PAIR + 1 < S::SHORT.count(STREAM) } {
            write_one::<S, STREAM, PAIR, 1>(from, to);
        }
    }
}

const fn write<S: CompiledStep, const STREAM: usize, const PAIR: usize>() -> Write {
    write_pair::<S, STREAM, PAIR>
}

/// # Safety
/// The contract of [`write_pair`] holds, for vector number `OF` of the pair.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn write_one<S: CompiledStep, const STREAM: usize, const PAIR: usize, const OF: usize>(
    from: &[*const u8; MAX_STEP_PEERS],
    to: *mut u8,
) {
    macro_rules! load {
        ($($input:literal)*) => {
            // SAFETY: the caller vouches for all inputs of this vector.
            [$(unsafe { load(const { ShortVector::<S, STREAM, PAIR, OF>::IT.inputs[$input] }, from) }),*]
        };
    }
    let inputs = const { ShortVector::<S, STREAM, PAIR, OF>::IT.count };
    let first = const { &ByteNumbers::of(S::SHORT, STREAM, 2 * PAIR + OF, 0) };
    let vectors = load!(0 1 2 3);
    let mut vector = if const { ByteNumbers::of(S::SHORT, STREAM, 2 * PAIR + OF, 0).is_first() } {
        vectors[0]
    } else {
        look_up(inputs, vectors, numbers(first))
    };
    if inputs > LOOKED_UP {
        let others = const { &ByteNumbers::of(S::SHORT, STREAM, 2 * PAIR + OF, LOOKED_UP) };
        vector = look_up_others(vector, inputs - LOOKED_UP, load!(4 5 6 7), numbers(others));
    }
    let to =
        to.wrapping_add(const { ShortVector::<S, STREAM, PAIR, OF>::IT.output } as usize >> 16);
    // SAFETY: outputs are vectors of the step, vouched for by the caller.
    unsafe { vst1q_u8(to, vector) };
}

#[inline]
#[target_feature(enable = "neon")]
fn look_up(
    inputs: usize,
    [a, b, c, d]: [uint8x16_t; LOOKED_UP],
    numbers: uint8x16_t,
) -> uint8x16_t {
    match inputs {
        1 => vqtbl1q_u8(a, numbers),
        2 => vqtbl2q_u8(uint8x16x2_t(a, b), numbers),
        3 => vqtbl3q_u8(uint8x16x3_t(a, b, c), numbers),
        _ => vqtbl4q_u8(uint8x16x4_t(a, b, c, d), numbers),
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn look_up_others(
    vector: uint8x16_t,
    inputs: usize,
    [a, b, c, d]: [uint8x16_t; LOOKED_UP],
    numbers: uint8x16_t,
) -> uint8x16_t {
    match inputs {
        1 => vqtbx1q_u8(vector, a, numbers),
        2 => vqtbx2q_u8(vector, uint8x16x2_t(a, b), numbers),
        3 => vqtbx3q_u8(vector, uint8x16x3_t(a, b, c), numbers),
        _ => vqtbx4q_u8(vector, uint8x16x4_t(a, b, c, d), numbers),
    }
}

/// Loads an input; zeros if there is none.
///
/// # Safety
/// The input may be read.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn load(input: u32, from: &[*const u8; MAX_STEP_PEERS]) -> uint8x16_t {
    if input == 0 {
        return vdupq_n_u8(0);
    }
    let at = from[(input & 0xFF) as usize].wrapping_add(input as usize >> 16);
    // SAFETY: the caller vouches for the input, which is a whole vector.
    unsafe { vld1q_u8(at) }
}

#[inline]
#[target_feature(enable = "neon")]
fn numbers(numbers: &ByteNumbers) -> uint8x16_t {
    // SAFETY: the array has as many bytes as a vector has.
    unsafe { vld1q_u8(numbers.0.as_ptr()) }
}
