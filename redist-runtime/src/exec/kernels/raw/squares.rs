//! Squares of runs of 4 or 8 bytes: as many rounds, or blocks, as a vector has lanes, of as many
//! messages.
//!
//! [Networks](super::network) take 2, 4, 8 or 16 messages. Squares take any number from the lanes of
//! a vector on: the last square of a row overlaps the one before. Their portable twin is
//! [`uniform`](super::uniform).

use super::Uniform;
use super::memory::{Access, ahead_of_local, ahead_of_message};
use super::network::{avx2_4, avx2_8, sse2_4};
use crate::exec::kernels::{CopyDirection, MAX_PEERS, Vectors};
use core::arch::x86_64::*;
use core::array::from_fn;

/// Returns the squares for runs of `len` bytes and `peers` messages, if there are some.
pub(in super::super) fn find<D: CopyDirection, A: Access>(
    vectors: Vectors,
    len: usize,
    peers: usize,
) -> Option<super::UniformAll> {
    let all: super::UniformAll = match (vectors, len) {
        (Vectors::Avx2 | Vectors::Avx512, 4) => avx2_of_4::all::<D, A>,
        (Vectors::Avx2 | Vectors::Avx512, 8) => avx2_of_8::all::<D, A>,
        (Vectors::Sse2, 4) => sse2_of_4::all::<D, A>,
        _ => return None,
    };
    (lanes(vectors, len)..=MAX_PEERS).contains(&peers).then_some(all)
}

/// Returns the sides of a square.
pub(in super::super) const fn lanes(vectors: Vectors, len: usize) -> usize {
    (if matches!(vectors, Vectors::Sse2) { 16 } else { 32 }) / len
}

/// Returns the first messages of the squares that cover so many messages.
#[inline(always)]
fn squares(messages: usize, lanes: usize) -> impl Iterator<Item = usize> {
    let last = messages.saturating_sub(lanes);
    (0..messages.div_ceil(lanes)).map(move |number| (number * lanes).min(last))
}

/// Copies a block from a round on, run by run.
///
/// # Safety
/// As [`Work::all`](super::Work::all) for the block, of runs that are a `T`.
unsafe fn rest<D: CopyDirection, T: Copy>(
    uniform: &Uniform,
    block: *mut T,
    cursors: &[*mut u8],
    first: usize,
) {
    let Uniform { peers, rounds, extra, .. } = *uniform;
    for round in first..=rounds {
        let runs = if round < rounds { peers } else { extra };
        for (message, cursor) in cursors[..runs].iter().enumerate() {
            // SAFETY: a block has `rounds` rounds of `peers` runs and `extra` runs. A share has a
            // run of each round, and one more for the first `extra` messages.
            unsafe {
                let (here, there) =
                    (block.add(round * peers + message), cursor.cast::<T>().add(round));
                let (from, to) = if D::PACKS { (here, there) } else { (there, here) };
                to.write_unaligned(from.read_unaligned());
            }
        }
    }
}

/// Defines squares of one vector, whose networks are those of a module of [`super::network`].
macro_rules! squares {
    ($name:ident: $network:ident, $features:literal, $lane:ty, $vector:ty, $lanes:literal, $zero:expr, $load:expr, $store:expr) => {
        mod $name {
            use super::$network::{merge, split};
            use super::*;

            /// # Safety
            /// A vector may be read at each of the rows, which are `stride` lanes apart.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn rows(first: *mut $lane, stride: usize) -> [$vector; $lanes] {
                // SAFETY: the caller vouches for each row.
                from_fn(|row| unsafe { $load(first.add(row * stride).cast_const()) })
            }

            /// # Safety
            /// As [`rows`], to be written.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn put_rows(first: *mut $lane, stride: usize, rows: [$vector; $lanes]) {
                for (row, vector) in rows.into_iter().enumerate() {
                    // SAFETY: the caller vouches for each row.
                    unsafe { $store(first.add(row * stride), vector) };
                }
            }

            /// # Safety
            /// As [`Work::all`](super::super::Work::all), and the processor has these instructions;
            /// runs are one lane, and messages at least a vector's lanes.
            #[target_feature(enable = $features)]
            pub unsafe fn all<D: CopyDirection, A: Access>(
                uniform: &Uniform,
                local: *mut u8,
                cursors: &mut [*mut u8],
            ) {
                let cursors = &mut cursors[..uniform.peers];
                // SAFETY: this function's contract is that of both.
                unsafe {
                    match uniform.twice() {
                        Some(twice) if uniform.rounds < $lanes => {
                            blocks::<D, A>((uniform, twice), local.cast(), cursors)
                        }
                        _ => rounds::<D, A>(uniform, local.cast(), cursors),
                    }
                }
            }

            /// Copies squares of rounds, block by block.
            ///
            /// # Safety
            /// As [`all`].
            #[target_feature(enable = $features)]
            unsafe fn rounds<D: CopyDirection, A: Access>(
                uniform: &Uniform,
                mut local: *mut $lane,
                cursors: &mut [*mut u8],
            ) {
                let Uniform { peers, rounds, extra, repeats, .. } = *uniform;
                // SAFETY: the caller vouches for `repeats` blocks of `rounds` rounds of `peers` runs
                // and `extra` runs, and for a run of each in its message. A square has whole
                // rounds, and messages up to `peers`.
                unsafe {
                    for _ in 0..repeats {
                        let whole = rounds - rounds % $lanes;
                        for round in (0..whole).step_by($lanes) {
                            let here = local.add(round * peers);
                            ahead_of_local::<D, A>(
                                here.cast(),
                                $lanes * peers * size_of::<$lane>(),
                            );
                            for first in squares(peers, $lanes) {
                                let messages = &cursors[first..first + $lanes];
                                let message =
                                    |number: usize| messages[number].cast::<$lane>().add(round);
                                if (round * size_of::<$lane>()).is_multiple_of(64) {
                                    (0..$lanes).for_each(|number| {
                                        ahead_of_message::<D, A>(message(number).cast(), 64);
                                    });
                                }
                                if D::PACKS {
                                    let vectors = split::<$lanes>(rows(here.add(first), peers));
                                    for (number, vector) in vectors.into_iter().enumerate() {
                                        $store(message(number), vector);
                                    }
                                } else {
                                    let vectors =
                                        from_fn(|number| $load(message(number).cast_const()));
                                    put_rows(here.add(first), peers, merge::<$lanes>(vectors));
                                }
                            }
                        }
                        rest::<D, $lane>(uniform, local, cursors, whole);
                        advance(uniform, cursors);
                        local = local.add(rounds * peers + extra);
                    }
                }
            }

            /// Copies squares of blocks, of which each message has one run, and the first `twice`
            /// another.
            ///
            /// # Safety
            /// As [`all`], and `twice` is [of](Uniform::twice) the runs.
            #[target_feature(enable = $features)]
            unsafe fn blocks<D: CopyDirection, A: Access>(
                (uniform, twice): (&Uniform, usize),
                local: *mut $lane,
                cursors: &mut [*mut u8],
            ) {
                let Uniform { peers, repeats, .. } = *uniform;
                let (block, mut done) = (peers + twice, 0);
                // By message: its first run of each block, and its second.
                let (mut one, mut two) = ([$zero; MAX_PEERS], [$zero; MAX_PEERS]);
                // SAFETY: the caller vouches for `repeats` blocks, and for the runs of each in its
                // message. A square of second runs may end past its block, as far as the next one's
                // first vector. The next one is there, because the last block goes run by run. What
                // is written there is overwritten: by first runs of the same squares, or by the
                // blocks that follow.
                unsafe {
                    while done + $lanes < repeats {
                        let here = local.add(done * block);
                        let second = here.add(peers);
                        ahead_of_local::<D, A>(here.cast(), $lanes * block * size_of::<$lane>());
                        if D::PACKS {
                            for first in squares(peers, $lanes) {
                                let vectors = split::<$lanes>(rows(here.add(first), block));
                                one[first..first + $lanes].copy_from_slice(&vectors);
                            }
                            for first in squares(twice, $lanes) {
                                let vectors = split::<$lanes>(rows(second.add(first), block));
                                two[first..first + $lanes].copy_from_slice(&vectors);
                            }
                        }
                        for (number, cursor) in cursors.iter_mut().enumerate() {
                            let message = cursor.cast::<$lane>();
                            ahead_of_message::<D, A>(message.cast(), size_of::<$vector>());
                            let of_message = [message, message.add($lanes)];
                            if number >= twice {
                                match D::PACKS {
                                    true => $store(message, one[number]),
                                    false => one[number] = $load(message.cast_const()),
                                }
                                *cursor = of_message[1].cast();
                                continue;
                            }
                            if D::PACKS {
                                let both = merge::<2>([one[number], two[number]]);
                                $store(of_message[0], both[0]);
                                $store(of_message[1], both[1]);
                            } else {
                                let both = of_message.map(|half| $load(half.cast_const()));
                                [one[number], two[number]] = split::<2>(both);
                            }
                            *cursor = message.add(2 * $lanes).cast();
                        }
                        if !D::PACKS {
                            // Second runs first: see above.
                            for first in squares(twice, $lanes) {
                                let vectors = from_fn(|number| two[first + number]);
                                put_rows(second.add(first), block, merge::<$lanes>(vectors));
                            }
                            for first in squares(peers, $lanes) {
                                let vectors = from_fn(|number| one[first + number]);
                                put_rows(here.add(first), block, merge::<$lanes>(vectors));
                            }
                        }
                        done += $lanes;
                    }
                    for block in (done..repeats).map(|number| local.add(number * block)) {
                        rest::<D, $lane>(uniform, block, cursors, 0);
                        advance(uniform, cursors);
                    }
                }
            }
        }
    };
}

/// Advances each cursor by its share of a block.
fn advance(uniform: &Uniform, cursors: &mut [*mut u8]) {
    for (message, cursor) in cursors.iter_mut().enumerate() {
        *cursor = cursor.wrapping_add(uniform.share(message));
    }
}

squares!(
    sse2_of_4: sse2_4, "sse2", u32, __m128i, 4, _mm_setzero_si128(),
    |at: *const u32| _mm_loadu_si128(at.cast()),
    |at: *mut u32, lanes| _mm_storeu_si128(at.cast(), lanes)
);
squares!(
    avx2_of_4: avx2_4, "avx2", u32, __m256i, 8, _mm256_setzero_si256(),
    |at: *const u32| _mm256_loadu_si256(at.cast()),
    |at: *mut u32, lanes| _mm256_storeu_si256(at.cast(), lanes)
);
squares!(
    avx2_of_8: avx2_8, "avx2", u64, __m256i, 4, _mm256_setzero_si256(),
    |at: *const u64| _mm256_loadu_si256(at.cast()),
    |at: *mut u64, lanes| _mm256_storeu_si256(at.cast(), lanes)
);
