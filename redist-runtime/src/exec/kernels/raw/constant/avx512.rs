//! Vectors of 64 bytes in lanes of the shortest run's length, with a permutation per input.

use super::step::{CompiledStep, Write, WriteStream, no_stream};
use super::steps::{by_inputs, steps};
use super::table::{Place, VectorTable};
use crate::program::MAX_STEP_PEERS;
use core::arch::x86_64::*;

macro_rules! merged {
    ($from:ident, $permute:ident, $merge:ident, [$($input:literal)*]) => {{
        let mut vector = _mm512_undefined_epi32();
        $(
            let input = const { S::LONG.input(STREAM, NUMBER, $input) };
            let lanes = const { &LaneNumbers::of(S::LONG, (STREAM, NUMBER, $input)) };
            // SAFETY: the caller vouches for all inputs of the vectors that the table has.
            let loaded = unsafe { load(input, $from) };
            let lanes = loaded_lanes(lanes);
            vector = match $input {
                0 => $permute(lanes, loaded),
                _ => $merge(vector, lanes, loaded),
            };
        )*
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
                const fn of(table: &VectorTable, input: (usize, usize, usize)) -> Self {
                    const KEPT: [u8; $count] = {
                        let (mut kept, mut lane) = ([0; $count], 0);
                        while lane < $count {
                            kept[lane] = lane as u8;
                            lane += 1;
                        }
                        kept
                    };
                    let taken = table.takes(input, $count, KEPT);
                    let (mut lanes, mut lane) = ([0; $count], 0);
                    while lane < $count {
                        lanes[lane] = taken[lane] as $number;
                        lane += 1;
                    }
                    Self(lanes)
                }
            }

            const fn inputs<S: CompiledStep, const STREAM: usize, const NUMBER: usize>() -> usize {
                S::LONG.inputs_of(STREAM, NUMBER)
            }

            macro_rules! written {
                ($from:ident, $to:ident, $inputs:tt) => {{
                    let vector = merged!($from, $permute, $merge, $inputs);
                    let output = const { S::LONG.output(STREAM, NUMBER) };
                    let to = $to.wrapping_add(output.at() * $bytes);
                    // SAFETY: outputs are vectors of the step, or as many lanes as their stream
                    // has, which the caller vouches for.
                    unsafe {
                        match output.units() {
                            $count => _mm512_storeu_si512(to.cast(), vector),
                            units => $store(to.cast(), mask(units), vector),
                        }
                    }
                }};
            }

            by_inputs!(#[target_feature(enable = $feature)], inputs, written);

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
                input: Place,
                from: &[*const u8; MAX_STEP_PEERS],
            ) -> __m512i {
                let at = from[input.stream()].wrapping_add(input.at() * $bytes);
                // SAFETY: the caller vouches for these lanes of the input.
                unsafe {
                    match input.units() {
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
