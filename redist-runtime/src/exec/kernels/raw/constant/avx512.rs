//! Vectors of 64 bytes in lanes of the shortest run's length, with a permutation per input.

use super::step::{CompiledStep, Write, WriteStream, no_stream};
use super::steps::{AtAnyAddress, advance, by_inputs, counted, place, steps};
use super::table::{VectorTable, WrittenVector, units_of};
use crate::program::MAX_STEP_PEERS;
use core::arch::x86_64::*;

/// A written vector of a step as a type.
struct LongVector<S, const STREAM: usize, const NUMBER: usize>(S);

impl<S: CompiledStep, const STREAM: usize, const NUMBER: usize> LongVector<S, STREAM, NUMBER> {
    const IT: WrittenVector = S::LONG.vector(STREAM, NUMBER);
}

macro_rules! merged {
    ($from:ident, $permute:ident, $merge:ident, [$first:literal $($input:literal)*]) => {{
        let vector = $permute(lanes!($first), loaded!($from, $first));
        $(let vector = $merge(vector, lanes!($input), loaded!($from, $input));)*
        vector
    }};
}

macro_rules! of_lanes {
    (
        $name:ident: $count:literal of $bytes:literal bytes, $feature:literal,
        $number:ident, $permute:ident $merge:ident $load:ident $store:ident
    ) => {
        pub(super) mod $name {
            use super::*;

            steps!(#[target_feature(enable = $feature)], LONG, 1);

            /// For each lane of an output, the number of its lane in one input, as permutations
            /// take it.
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
                LongVector::<S, STREAM, NUMBER>::IT.count
            }

            macro_rules! lanes {
                ($input:expr) => {{
                    let lanes = const { &LaneNumbers::of(S::LONG, (STREAM, NUMBER, $input)) };
                    // SAFETY: the array is 64 bytes, as long as a vector, and aligned like one.
                    unsafe { *(&raw const lanes.0 as *const __m512i) }
                }};
            }

            macro_rules! loaded {
                ($from:ident, $input:expr) => {{
                    let input = const { LongVector::<S, STREAM, NUMBER>::IT.inputs[$input] };
                    let (stream, at) = ((input & 0xFF) as usize, (input >> 16) as usize);
                    // SAFETY: the caller vouches for all inputs of the vectors that the table has,
                    // and for these lanes of them.
                    unsafe {
                        let at = place!($from[stream], at * $bytes);
                        if const { units_of(LongVector::<S, STREAM, NUMBER>::IT.inputs[$input]) == $count } {
                            (*(at as *const AtAnyAddress<__m512i>)).0
                        } else {
                            $load((1 << (input >> 8 & 0xFF)) - 1, at as _)
                        }
                    }
                }};
            }

            macro_rules! written {
                ($from:ident, $to:ident, $inputs:tt) => {{
                    let vector = merged!($from, $permute, $merge, $inputs);
                    let output = const { LongVector::<S, STREAM, NUMBER>::IT.output };
                    // SAFETY: outputs are vectors of the step, or as many lanes as their stream
                    // has, which the caller vouches for.
                    unsafe {
                        let to = place!($to, (output >> 16) as usize * $bytes);
                        if const { units_of(LongVector::<S, STREAM, NUMBER>::IT.output) == $count } {
                            (*(to as *mut AtAnyAddress<__m512i>)).0 = vector;
                        } else {
                            $store(to as _, (1 << (output >> 8 & 0xFF)) - 1, vector);
                        }
                    }
                }};
            }

            by_inputs!((inline, target_feature(enable = $feature)), inputs, written);
        }
    };
}

of_lanes!(lanes_of_4: 16 of 4 bytes, "avx512f", u32,
    _mm512_permutexvar_epi32 _mm512_permutex2var_epi32
    _mm512_maskz_loadu_epi32 _mm512_mask_storeu_epi32);
of_lanes!(lanes_of_2: 32 of 2 bytes, "avx512bw", u16,
    _mm512_permutexvar_epi16 _mm512_permutex2var_epi16
    _mm512_maskz_loadu_epi16 _mm512_mask_storeu_epi16);
of_lanes!(lanes_of_1: 64 of 1 bytes, "avx512bw,avx512vbmi", u8,
    _mm512_permutexvar_epi8 _mm512_permutex2var_epi8
    _mm512_maskz_loadu_epi8 _mm512_mask_storeu_epi8);
