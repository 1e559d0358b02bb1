//! Squares of short runs: as many periods as a vector has lanes, of as many runs of 4 or 8 bytes.
//! Their columns are vectors of messages. [Networks](super::network) take few messages in turn,
//! squares many, in any order that repeats; the last of a period overlaps the one before.

use super::memory::{ahead_of_local, ahead_of_message};
use super::network::{avx2_4, avx2_8, sse2_4};
use super::table::PatternTable;
use crate::exec::kernels::pattern::Pattern;
use crate::exec::kernels::{CopyDirection, Memory, Vectors};
use core::arch::x86_64::*;
use core::array::from_fn;

/// Copies all periods between the local array and the messages' cursors.
type PeriodKernel = unsafe fn(&SquaredPeriods, *mut u8, &mut [*mut u8]);

/// Most lanes of a period.
pub(in super::super) const MAX_COLUMNS: usize = 128;

/// Messages from which several 8-byte lanes of a message gain; tiles copy fewer as fast.
const MIN_MESSAGES_OF_8: usize = 32;

/// Periods of runs, of which each message has none, one, two or four lanes.
pub(in super::super) struct SquaredPeriods {
    pub(super) table: PatternTable,
    kernel: PeriodKernel,
    /// Number of each lane in the period, message after message.
    columns: Vec<u8>,
    /// `true` if each message has one lane, in turn.
    in_turn: bool,
}

impl SquaredPeriods {
    /// Returns the most whole squares of `repeats` periods, and the periods in them. Returns `None`
    /// if there are none, or messages have other numbers of lanes.
    pub fn new<D: CopyDirection>(
        pattern: Pattern,
        repeats: usize,
        memory: Memory,
        vectors: Vectors,
    ) -> Option<(Self, usize)> {
        let lane = [8, 4].into_iter().find(|lane| pattern.is_multiple_of(*lane))?;
        let kernel: PeriodKernel = match (vectors, lane) {
            (Vectors::Avx2 | Vectors::Avx512, 4) => avx2_of_4::periods::<D>,
            (Vectors::Avx2 | Vectors::Avx512, 8) => avx2_of_8::periods::<D>,
            (Vectors::Sse2, 4) => sse2_of_4::periods::<D>,
            _ => return None,
        };
        let lanes = lanes(vectors, lane);
        let (count, repeats) = (pattern.span() / lane, repeats - repeats % lanes);
        let few = lane == 8 && pattern.shares().len() < MIN_MESSAGES_OF_8;
        let fits = |share: &usize| match share / lane {
            0 | 1 => true,
            2 | 4 => !few,
            _ => false,
        };
        if !(lanes..=MAX_COLUMNS).contains(&count)
            || repeats == 0
            || !pattern.shares().iter().all(fits)
        {
            return None;
        }
        let mut columns = Vec::with_capacity(count);
        for peer in 0..pattern.shares().len() {
            for run in pattern.runs().iter().filter(|run| run.peer as usize == peer) {
                let first = run.start as usize / lane;
                columns.extend((first..first + run.len as usize / lane).map(|column| column as u8));
            }
        }
        let in_turn = columns.len() == pattern.shares().len()
            && columns.iter().enumerate().all(|(place, column)| place == usize::from(*column));
        let table = PatternTable { pattern, repeats, memory };
        Some((Self { table, kernel, columns, in_turn }, repeats))
    }

    /// # Safety
    /// As `Work::all`.
    pub unsafe fn all(&self, local: *mut u8, cursors: &mut [*mut u8]) {
        // SAFETY: the caller's contract is the kernel's, which `new` found for these lanes.
        unsafe { (self.kernel)(self, local, cursors) };
    }
}

const fn lanes(vectors: Vectors, len: usize) -> usize {
    (if matches!(vectors, Vectors::Sse2) { 16 } else { 32 }) / len
}

#[inline(always)]
fn squares(messages: usize, lanes: usize) -> impl Iterator<Item = usize> {
    let last = messages.saturating_sub(lanes);
    (0..messages.div_ceil(lanes)).map(move |number| (number * lanes).min(last))
}

/// Defines the squares of one kind of vector, by the networks of a module of `network`.
macro_rules! squares {
    ($name:ident: $network:ident, $features:literal, $lane:ty, $vector:ty, $lanes:literal, $zero:expr) => {
        mod $name {
            use super::*;

            /// # Safety
            /// A vector may be read at each of the rows, which are `stride` lanes apart.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn rows(first: *mut $lane, stride: usize) -> [$vector; $lanes] {
                // SAFETY: the caller vouches for each row.
                from_fn(|row| unsafe { first.add(row * stride).cast::<$vector>().read_unaligned() })
            }

            /// # Safety
            /// The contract of [`rows`] holds, for writing.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn put_rows(first: *mut $lane, stride: usize, rows: [$vector; $lanes]) {
                for (row, vector) in rows.into_iter().enumerate() {
                    // SAFETY: the caller vouches for each row.
                    unsafe { first.add(row * stride).cast::<$vector>().write_unaligned(vector) };
                }
            }

            /// # Safety
            /// As `Work::all`, and the processor has these instructions.
            #[target_feature(enable = $features)]
            pub unsafe fn periods<D: CopyDirection>(
                periods: &SquaredPeriods,
                local: *mut u8,
                cursors: &mut [*mut u8],
            ) {
                if periods.in_turn {
                    // SAFETY: the contract is the same, and messages have one lane of a period.
                    return unsafe { turns::<D>(&periods.table, local.cast(), cursors) };
                }
                let SquaredPeriods {
                    table: PatternTable { pattern, repeats, memory },
                    columns,
                    ..
                } = periods;
                let (mut local, count) =
                    (local.cast::<$lane>(), pattern.span() / size_of::<$lane>());
                let mut vectors = [$zero; MAX_COLUMNS];
                let fetches = *memory == Memory::Prefetched;
                // SAFETY: the caller vouches for `repeats` periods of `count` lanes, which are whole
                // squares (`SquaredPeriods::new`), and for each message's share of them. A share of a
                // square is a vector for each of the message's columns.
                unsafe {
                    for _ in 0..repeats / $lanes {
                        if fetches {
                            ahead_of_local::<D>(local.cast(), $lanes * pattern.span());
                        }
                        if D::PACKS {
                            for first in squares(count, $lanes) {
                                let square =
                                    $network::split::<$lanes>(rows(local.add(first), count));
                                vectors[first..first + $lanes].copy_from_slice(&square);
                            }
                        }
                        let mut left = &columns[..];
                        for (cursor, share) in cursors.iter_mut().zip(pattern.shares()) {
                            let (own, others) = left.split_at(share / size_of::<$lane>());
                            left = others;
                            if fetches {
                                ahead_of_message::<D>(*cursor, $lanes * share);
                            }
                            let message = cursor.cast::<$lane>();
                            match own.len() {
                                1 => share_of::<1, D>(message, own, &mut vectors),
                                2 => share_of::<2, D>(message, own, &mut vectors),
                                4 => share_of::<4, D>(message, own, &mut vectors),
                                _ => {}
                            }
                            *cursor = cursor.add($lanes * share);
                        }
                        if !D::PACKS {
                            for first in squares(count, $lanes) {
                                let square = from_fn(|number| vectors[first + number]);
                                put_rows(
                                    local.add(first),
                                    count,
                                    $network::merge::<$lanes>(square),
                                );
                            }
                        }
                        local = local.add($lanes * count);
                    }
                }
            }

            /// # Safety
            /// The contract of [`periods`] holds.
            #[target_feature(enable = $features)]
            unsafe fn turns<D: CopyDirection>(
                table: &PatternTable,
                mut local: *mut $lane,
                cursors: &mut [*mut u8],
            ) {
                let (bytes, count) = (size_of::<$vector>(), cursors.len());
                let fetches = table.memory == Memory::Prefetched;
                // SAFETY: the caller vouches for the periods, of a lane for each message. A vector is
                // a message's share of a square.
                unsafe {
                    for _ in 0..table.repeats / $lanes {
                        if fetches {
                            ahead_of_local::<D>(local.cast(), bytes * count);
                        }
                        for first in squares(count, $lanes) {
                            let messages = &cursors[first..first + $lanes];
                            let square = local.add(first);
                            if D::PACKS {
                                let vectors = $network::split::<$lanes>(rows(square, count));
                                for (message, vector) in messages.iter().zip(vectors) {
                                    message.cast::<$vector>().write_unaligned(vector);
                                }
                            } else {
                                let vectors = from_fn(|number| {
                                    messages[number].cast::<$vector>().read_unaligned()
                                });
                                put_rows(square, count, $network::merge::<$lanes>(vectors));
                            }
                        }
                        for cursor in cursors.iter_mut() {
                            if fetches {
                                ahead_of_message::<D>(*cursor, bytes);
                            }
                            *cursor = cursor.add(bytes);
                        }
                        local = local.add($lanes * count);
                    }
                }
            }

            /// Copies a message's share of a square between it and the vectors of its columns.
            ///
            /// # Safety
            /// The message has `N` vectors.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn share_of<const N: usize, D: CopyDirection>(
                message: *mut $lane,
                columns: &[u8],
                vectors: &mut [$vector; MAX_COLUMNS],
            ) {
                let places: [usize; N] = from_fn(|number| usize::from(columns[number]));
                // SAFETY: the caller vouches for the message's vectors.
                unsafe {
                    if D::PACKS {
                        let share = $network::merge::<N>(places.map(|place| vectors[place]));
                        for (number, vector) in share.into_iter().enumerate() {
                            message.cast::<$vector>().add(number).write_unaligned(vector);
                        }
                    } else {
                        let share = from_fn(|number| {
                            message.cast::<$vector>().add(number).read_unaligned()
                        });
                        for (place, vector) in places.into_iter().zip($network::split::<N>(share)) {
                            vectors[place] = vector;
                        }
                    }
                }
            }
        }
    };
}

squares!(sse2_of_4: sse2_4, "sse2", u32, __m128i, 4, _mm_setzero_si128());
squares!(avx2_of_4: avx2_4, "avx2", u32, __m256i, 8, _mm256_setzero_si256());
squares!(avx2_of_8: avx2_8, "avx2", u64, __m256i, 4, _mm256_setzero_si256());
