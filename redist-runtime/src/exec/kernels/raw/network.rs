//! Networks of log2(M) steps in whole vectors: they distribute runs of 4, 8 or 16 bytes to M = 2,
//! 4, 8 or 16 messages, or gather them. Each step separates or merges even and odd lanes of pairs.

use super::memory::{ahead_of_local, ahead_of_message};
use super::uniform::{Uniform, UniformAll};
use crate::cache::LINE_BYTES;
use crate::exec::kernels::{CopyDirection, Memory, Vectors};
use core::arch::x86_64::*;
use core::array::from_fn;

/// Defines `find`. Kernels of rows, which may prefetch, have no networks for 16 messages where vectors
/// `spill`: see `RunShape::has_network`.
macro_rules! found {
    ($($vectors:ident $lane:literal => $module:ident, spill: $spill:expr;)*) => {
        pub(in super::super) fn find<D: CopyDirection>(
            vectors: Vectors,
            memory: Memory,
            lane: usize,
            peers: usize,
        ) -> Option<UniformAll> {
            Some(match (vectors, lane, peers) {
                $((Vectors::$vectors, $lane, 2) => $module::all::<2, D>,
                (Vectors::$vectors, $lane, 4) => $module::all::<4, D>,
                (Vectors::$vectors, $lane, 8) => $module::all::<8, D>,
                (Vectors::$vectors, $lane, 16) if memory == Memory::Cached || !$spill => {
                    $module::all::<16, D>
                })*
                _ => return None,
            })
        }
    };
}
found! {
    Sse2 4 => sse2_4, spill: D::PACKS;
    Sse2 8 => sse2_8, spill: D::PACKS;
    Avx2 4 => avx2_4, spill: false;
    Avx2 8 => avx2_8, spill: false;
    Avx2 16 => avx2_16, spill: true;
    Avx512 4 => avx512_4, spill: false;
    Avx512 8 => avx512_8, spill: false;
    Avx512 16 => avx512_16, spill: true;
}

/// Lane numbers of two vectors of AVX-512; the second vector's follow the first's.
#[repr(align(64))]
struct Indices([u8; 64]);

#[inline]
#[target_feature(enable = "avx512f")]
fn indices(lanes: &Indices) -> __m512i {
    // SAFETY: the array is 64 bytes, as long as a vector, and this load needs no alignment.
    unsafe { _mm512_loadu_si512(lanes.0.as_ptr().cast()) }
}

impl Indices {
    const fn every_second(first: u8, lanes: u8) -> Self {
        let (mut bytes, mut lane) = ([0; 64], 0);
        while lane < lanes {
            bytes[lane as usize * (64 / lanes as usize)] = first + 2 * lane;
            lane += 1;
        }
        Self(bytes)
    }

    /// Takes units of `unit` lanes from the two vectors in turn.
    const fn in_turn(first: u8, lanes: u8, unit: u8) -> Self {
        let (mut bytes, mut lane) = ([0; 64], 0);
        while lane < lanes {
            let (number, within) = (lane / unit, lane % unit);
            bytes[lane as usize * (64 / lanes as usize)] =
                first + number / 2 * unit + within + lanes * (number % 2);
            lane += 1;
        }
        Self(bytes)
    }
}

static EVEN_4: Indices = Indices::every_second(0, 16);
static ODD_4: Indices = Indices::every_second(1, 16);
static LOW_4: Indices = Indices::in_turn(0, 16, 1);
static HIGH_4: Indices = Indices::in_turn(8, 16, 1);
static EVEN_8: Indices = Indices::every_second(0, 8);
static ODD_8: Indices = Indices::every_second(1, 8);
static LOW_8: Indices = Indices::in_turn(0, 8, 1);
static HIGH_8: Indices = Indices::in_turn(4, 8, 1);
static LOW_16: Indices = Indices::in_turn(0, 8, 2);
static HIGH_16: Indices = Indices::in_turn(4, 8, 2);

/// Returns a message's place among the outputs: its bits reversed.
#[inline(always)]
const fn reversed(message: usize, of: usize) -> usize {
    if of == 1 { 0 } else { message.reverse_bits() >> (usize::BITS - of.trailing_zeros()) }
}

/// Returns the cursors of `M` messages; one check is for all.
#[inline(always)]
fn messages<const M: usize, T>(cursors: &[*mut u8]) -> [*mut T; M] {
    let cursors: &[*mut u8; M] = cursors[..M].try_into().expect("as many as were cut off");
    cursors.map(<*mut u8>::cast)
}

/// Defines networks of one width; `rest` copies rounds that do not fill vectors.
macro_rules! network {
    (
        $module:ident, $features:literal, $lane:ty, $vector:ty, $lanes:literal,
        split: $even:expr, $odd:expr, merge: $low:expr, $high:expr, rest: $rest:ident
    ) => {
        pub(super) mod $module {
            use super::*;

            #[inline]
            #[target_feature(enable = $features)]
            pub fn split<const M: usize>(mut vectors: [$vector; M]) -> [$vector; M] {
                let mut group = M;
                while group > 1 {
                    let (mut next, mut first) = (vectors, 0);
                    while first < M {
                        for pair in 0..group / 2 {
                            let (a, b) = (vectors[first + 2 * pair], vectors[first + 2 * pair + 1]);
                            (next[first + pair], next[first + group / 2 + pair]) =
                                ($even(a, b), $odd(a, b));
                        }
                        first += group;
                    }
                    (vectors, group) = (next, group / 2);
                }
                from_fn(|message| vectors[reversed(message, M)])
            }

            #[inline]
            #[target_feature(enable = $features)]
            pub fn merge<const M: usize>(messages: [$vector; M]) -> [$vector; M] {
                let mut vectors: [$vector; M] = from_fn(|place| messages[reversed(place, M)]);
                let mut group = 2;
                while group <= M {
                    let (mut next, mut first) = (vectors, 0);
                    while first < M {
                        for pair in 0..group / 2 {
                            let (a, b) = (vectors[first + pair], vectors[first + group / 2 + pair]);
                            (next[first + 2 * pair], next[first + 2 * pair + 1]) =
                                ($low(a, b), $high(a, b));
                        }
                        first += group;
                    }
                    (vectors, group) = (next, group * 2);
                }
                vectors
            }

            #[inline(always)]
            fn ahead_of<D: CopyDirection, const M: usize>(
                local: *mut $lane,
                cursors: &[*mut $lane; M],
                round: usize,
            ) {
                ahead_of_local::<D>(local.cast(), M * size_of::<$vector>());
                // A line's first vector prefetches it.
                if (round * size_of::<$lane>()).is_multiple_of(LINE_BYTES) {
                    for cursor in cursors {
                        ahead_of_message::<D>(
                            cursor.wrapping_add(round).cast(),
                            size_of::<$vector>(),
                        );
                    }
                }
            }

            /// # Safety
            /// The contract of [`Work::all`](super::super::Work::all) holds, and the processor has
            /// these instructions; runs are one lane.
            #[target_feature(enable = $features)]
            pub unsafe fn all<const M: usize, D: CopyDirection>(
                uniform: &Uniform,
                local: *mut u8,
                cursors: &mut [*mut u8],
            ) {
                let mut local: *mut $lane = local.cast();
                let mut cursors = messages::<M, $lane>(cursors);
                let Uniform { rounds, extra, repeats, memory, .. } = *uniform;
                // SAFETY: `M` vectors hold one round per lane of a vector, and as many runs of each
                // message. A block has `rounds` rounds and `extra` runs; a share has `rounds` runs,
                // and one more for the first `extra`. The caller vouches for `repeats` blocks and
                // shares, read and written as `D` says. Neither `local`
                // nor a cursor moves further. The remaining rounds go run by run, or by masks of as
                // many lanes as there are runs.
                unsafe {
                    for _ in 0..repeats {
                        let mut round = 0;
                        while round + $lanes <= rounds {
                            let here = local.add(round * M);
                            let of_local = |step: usize| here.add(step * $lanes);
                            let of_message = |message: usize| cursors[message].add(round);
                            let load = |from: *mut $lane| from.cast::<$vector>().read_unaligned();
                            let vectors = match D::PACKS {
                                true => split::<M>(from_fn(|step| load(of_local(step)))),
                                false => merge::<M>(from_fn(|from| load(of_message(from)))),
                            };
                            if memory == Memory::Prefetched {
                                ahead_of::<D, M>(here, &cursors, round);
                            }
                            for number in 0..M {
                                let to =
                                    if D::PACKS { of_message(number) } else { of_local(number) };
                                to.cast::<$vector>().write_unaligned(vectors[number]);
                            }
                            round += $lanes;
                        }
                        $rest!(local.add(round * M), cursors, round, rounds - round, extra);
                        for (message, cursor) in cursors.iter_mut().enumerate() {
                            *cursor = cursor.add(rounds + usize::from(message < extra));
                        }
                        local = local.add(rounds * M + extra);
                    }
                }
            }
        }
    };
}

macro_rules! by_lanes {
    ($local:expr, $cursors:ident, $round:ident, $left:expr, $extra:expr) => {
        let runs = $left * M + $extra;
        if runs > 0 {
            lane_by_lane::<D, _>($local, &$cursors, $round, runs);
        }
    };
}

/// Copies runs of one lane for all messages in turn, from a round on. Not inlined, because networks
/// are many and this is their end.
///
/// # Safety
/// The runs lie in `local`, and in the messages from lane `round` on.
#[inline(never)]
unsafe fn lane_by_lane<D: CopyDirection, T>(
    mut local: *mut T,
    cursors: &[*mut T],
    mut round: usize,
    mut runs: usize,
) {
    while runs > 0 {
        let of_round = runs.min(cursors.len());
        for cursor in &cursors[..of_round] {
            // SAFETY: the caller vouches for each run on both sides.
            unsafe {
                let (from, to) = D::ends(local.cast(), cursor.add(round).cast());
                to.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned());
                local = local.add(1);
            }
        }
        (round, runs) = (round + 1, runs - of_round);
    }
}

/// Copies a block's last rounds by masked vectors, with `$bits` mask bits per lane.
macro_rules! masked {
    ($($name:ident: $lanes:literal $bits:literal $mask:ty, $load:ident $store:ident;)*) => {$(
        macro_rules! $name {
            ($local:expr, $cursors:ident, $round:ident, $left:expr, $extra:expr) => {
                let (local, left, extra) = ($local, $left, $extra);
                let runs = left * M + extra;
                if runs > 0 {
                    let mask = |lanes: usize| ((1u32 << ($bits * lanes)) - 1) as $mask;
                    let of_local = |step: usize| {
                        let lanes = runs.saturating_sub(step * $lanes).min($lanes);
                        (mask(lanes), local.wrapping_add(step * $lanes).cast::<u8>())
                    };
                    let of_message = |message: usize| {
                        let lanes = left + usize::from(message < extra);
                        (mask(lanes), $cursors[message].wrapping_add($round).cast::<u8>())
                    };
                    let load = |(mask, from): ($mask, *mut u8)| $load(mask, from.cast());
                    let vectors = match D::PACKS {
                        true => split::<M>(from_fn(|step| load(of_local(step)))),
                        false => merge::<M>(from_fn(|message| load(of_message(message)))),
                    };
                    for number in 0..M {
                        let (mask, to) = if D::PACKS { of_message(number) } else { of_local(number) };
                        $store(to.cast(), mask, vectors[number]);
                    }
                }
            };
        }
    )*};
}
masked! {
    masked_4: 16 1 __mmask16, _mm512_maskz_loadu_epi32 _mm512_mask_storeu_epi32;
    masked_8: 8 1 __mmask8, _mm512_maskz_loadu_epi64 _mm512_mask_storeu_epi64;
    masked_16: 4 2 __mmask8, _mm512_maskz_loadu_epi64 _mm512_mask_storeu_epi64;
}

network!(
    sse2_4, "sse2", u32, __m128i, 4,
    split: |a, b| _mm_castps_si128(_mm_shuffle_ps::<0x88>(_mm_castsi128_ps(a), _mm_castsi128_ps(b))),
    |a, b| _mm_castps_si128(_mm_shuffle_ps::<0xDD>(_mm_castsi128_ps(a), _mm_castsi128_ps(b))),
    merge: _mm_unpacklo_epi32, _mm_unpackhi_epi32, rest: by_lanes
);
network!(
    sse2_8, "sse2", u64, __m128i, 2,
    split: _mm_unpacklo_epi64, _mm_unpackhi_epi64,
    merge: _mm_unpacklo_epi64, _mm_unpackhi_epi64, rest: by_lanes
);
network!(
    avx2_4, "avx2", u32, __m256i, 8,
    split: |a, b| {
        let even = _mm256_shuffle_ps::<0x88>(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b));
        _mm256_permute4x64_epi64::<0xD8>(_mm256_castps_si256(even))
    },
    |a, b| {
        let odd = _mm256_shuffle_ps::<0xDD>(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b));
        _mm256_permute4x64_epi64::<0xD8>(_mm256_castps_si256(odd))
    },
    merge: |a, b| _mm256_permute2x128_si256::<0x20>(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)),
    |a, b| _mm256_permute2x128_si256::<0x31>(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)),
    rest: by_lanes
);
network!(
    avx2_8, "avx2", u64, __m256i, 4,
    split: |a, b| _mm256_permute4x64_epi64::<0xD8>(_mm256_unpacklo_epi64(a, b)),
    |a, b| _mm256_permute4x64_epi64::<0xD8>(_mm256_unpackhi_epi64(a, b)),
    merge: |a, b| _mm256_permute2x128_si256::<0x20>(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)),
    |a, b| _mm256_permute2x128_si256::<0x31>(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)),
    rest: by_lanes
);
network!(
    avx2_16, "avx2", u128, __m256i, 2,
    split: |a, b| _mm256_permute2x128_si256::<0x20>(a, b), |a, b| _mm256_permute2x128_si256::<0x31>(a, b),
    merge: |a, b| _mm256_permute2x128_si256::<0x20>(a, b), |a, b| _mm256_permute2x128_si256::<0x31>(a, b),
    rest: by_lanes
);
network!(
    avx512_4, "avx512f", u32, __m512i, 16,
    split: |a, b| _mm512_permutex2var_epi32(a, indices(&EVEN_4), b),
    |a, b| _mm512_permutex2var_epi32(a, indices(&ODD_4), b),
    merge: |a, b| _mm512_permutex2var_epi32(a, indices(&LOW_4), b),
    |a, b| _mm512_permutex2var_epi32(a, indices(&HIGH_4), b), rest: masked_4
);
network!(
    avx512_8, "avx512f", u64, __m512i, 8,
    split: |a, b| _mm512_permutex2var_epi64(a, indices(&EVEN_8), b),
    |a, b| _mm512_permutex2var_epi64(a, indices(&ODD_8), b),
    merge: |a, b| _mm512_permutex2var_epi64(a, indices(&LOW_8), b),
    |a, b| _mm512_permutex2var_epi64(a, indices(&HIGH_8), b), rest: masked_8
);
network!(
    avx512_16, "avx512f", u128, __m512i, 4,
    split: |a, b| _mm512_shuffle_i64x2::<0x88>(a, b), |a, b| _mm512_shuffle_i64x2::<0xDD>(a, b),
    merge: |a, b| _mm512_permutex2var_epi64(a, indices(&LOW_16), b),
    |a, b| _mm512_permutex2var_epi64(a, indices(&HIGH_16), b), rest: masked_16
);
