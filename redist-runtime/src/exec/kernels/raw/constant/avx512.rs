//! Vectors of 64 bytes in lanes of the shortest run's length, with a permutation per input.

use super::step::{CompiledStep, Write, WriteStream, no_stream};
use super::steps::steps;
use super::table::{NONE, VectorRead};
use crate::program::MAX_STEP_PEERS;
use core::arch::x86_64::*;

macro_rules! merged {
    ($from:ident, $permute:ident, $merge:ident: $($input:literal)*) => {{
        let mut vector = _mm512_undefined_epi32();
        $(if const { $input < S::LONG.inputs_of(STREAM, NUMBER) } {
            let input = const { S::LONG.input(STREAM, NUMBER, $input) };
            let lanes = const { &LaneNumbers::of(S::LONG.input(STREAM, NUMBER, $input).take) };
            // SAFETY: the caller vouches for all inputs of the vectors that the table has.
            let loaded = unsafe { load(input, $from) };
            let lanes = loaded_lanes(lanes);
            vector = match $input {
                0 => $permute(lanes, loaded),
                _ => $merge(vector, lanes, loaded),
            };
        })*
        vector
    }};
}

macro_rules! lanes {
    (
        $name:ident: $count:literal of $bytes:literal bytes, $feature:literal,
        $number:ident $mask:ident, $permute:ident $merge:ident $load:ident $store:ident
    ) => {
        pub(super) mod $name {
            use super::*;

            steps!(#[target_feature(enable = $feature)], LONG, 1);

            #[derive(Clone, Copy)]
            #[repr(align(64))]
            struct LaneNumbers([$number; $count]);

            impl LaneNumbers {
                /// Numbers each output lane's input lane, from the number of lanes on, unless kept.
                const fn of(take: [u8; $count]) -> Self {
                    let (mut lanes, mut lane) = ([0; $count], 0);
                    while lane < $count {
                        lanes[lane] = match take[lane] {
                            NONE => lane as $number,
                            taken => $count + taken as $number,
                        };
                        lane += 1;
                    }
                    Self(lanes)
                }
            }

            /// # Safety
            /// All streams `from` may be read and stream `to` written for the step, as the table
            /// says, whose units are these lanes.
            #[inline]
            #[target_feature(enable = $feature)]
            unsafe fn write<S: CompiledStep, const STREAM: usize, const NUMBER: usize>(
                from: [*const u8; MAX_STEP_PEERS],
                to: *mut u8,
            ) {
                let vector = merged!(from, $permute, $merge: 0 1 2 3 4 5 6 7);
                let (at, units) = const { S::LONG.output(STREAM, NUMBER) };
                let to = to.wrapping_add(at * $bytes);
                // SAFETY: outputs are vectors of the step, or as many lanes as their stream has.
                unsafe {
                    match units {
                        $count => _mm512_storeu_si512(to.cast(), vector),
                        units => $store(to.cast(), mask(units), vector),
                    }
                }
            }

            #[inline]
            #[target_feature(enable = $feature)]
            fn loaded_lanes(lanes: &LaneNumbers) -> __m512i {
                // SAFETY: the array is 64 bytes, as long as a vector, and aligned like one.
                unsafe { _mm512_load_si512(lanes.0.as_ptr().cast()) }
            }

            /// # Safety
            /// The input's units may be read.
            #[inline]
            #[target_feature(enable = $feature)]
            unsafe fn load(
                input: VectorRead<$count>,
                from: [*const u8; MAX_STEP_PEERS],
            ) -> __m512i {
                let at = from[input.stream as usize].wrapping_add(input.at as usize * $bytes);
                // SAFETY: the caller vouches for these lanes of the input.
                unsafe {
                    match input.units {
                        $count => _mm512_loadu_si512(at.cast()),
                        units => $load(mask(units), at.cast()),
                    }
                }
            }

            #[inline]
            fn mask(units: u8) -> $mask {
                (1 << units) - 1
            }
        }
    };
}

lanes!(lanes_of_4: 16 of 4 bytes, "avx512f", u32 u16,
    _mm512_permutexvar_epi32 _mm512_permutex2var_epi32
    _mm512_maskz_loadu_epi32 _mm512_mask_storeu_epi32);
lanes!(lanes_of_2: 32 of 2 bytes, "avx512bw", u16 u32,
    _mm512_permutexvar_epi16 _mm512_permutex2var_epi16
    _mm512_maskz_loadu_epi16 _mm512_mask_storeu_epi16);
lanes!(lanes_of_1: 64 of 1 bytes, "avx512bw,avx512vbmi", u8 u64,
    _mm512_permutexvar_epi8 _mm512_permutex2var_epi8
    _mm512_maskz_loadu_epi8 _mm512_mask_storeu_epi8);
