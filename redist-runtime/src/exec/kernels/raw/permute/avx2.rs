//! Vectors of 8 lanes.

use super::loops::loops;
use super::{
    Functions, Input, Lanes, MAX_FETCHED_INPUTS, OutputGroup, PERIODS_TOGETHER, Sides, VectorPlace,
    fetch_to_read, fetch_to_write,
};
use crate::exec::kernels::Memory;
use core::arch::x86_64::*;
use core::array::from_fn;
use core::ptr;

loops!("avx2");

type Vector = __m256i;

/// The lane numbers, and all ones in those that come from the input.
type TakenLanes = (__m256i, __m256i);

/// All ones in the lanes that are written, and whether all are.
type WrittenLanes = (__m256i, bool);

#[inline]
#[target_feature(enable = "avx2")]
fn zero() -> Vector {
    _mm256_setzero_si256()
}

#[inline]
#[target_feature(enable = "avx2")]
fn taken(lanes: &Lanes) -> TakenLanes {
    // SAFETY: there are 16 lanes, twice as many as a vector has, aligned to 64 bytes.
    let numbers = unsafe { _mm256_load_si256(lanes.0.as_ptr().cast()) };
    // Lanes from the input have numbers from 8 on; permutations use the low three bits.
    (numbers, _mm256_cmpgt_epi32(numbers, _mm256_set1_epi32(7)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn written(mask: u16) -> WrittenLanes {
    (spread(mask), mask == 0xff)
}

/// All ones in the lanes of a mask.
#[inline]
#[target_feature(enable = "avx2")]
fn spread(mask: u16) -> __m256i {
    let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(i32::from(mask)), bits), bits)
}

/// # Safety
/// A vector may be read; if `EDGE`, the lanes of the mask.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load<const EDGE: bool>(at: *const u8, mask: u16) -> Vector {
    // SAFETY: the caller vouches for a vector, or for the lanes of the mask, and a masked load reads
    // no others; neither needs an alignment.
    unsafe {
        match EDGE {
            true => _mm256_maskload_epi32(at.cast(), spread(mask)),
            false => _mm256_loadu_si256(at.cast()),
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn add(vector: Vector, (numbers, taken): &TakenLanes, loaded: Vector, first: bool) -> Vector {
    let permuted = _mm256_permutevar8x32_epi32(loaded, *numbers);
    if first { permuted } else { _mm256_blendv_epi8(vector, permuted, *taken) }
}

/// # Safety
/// The lanes that are written may be written.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn store(to: *mut u8, (lanes, whole): &WrittenLanes, vector: Vector) {
    // SAFETY: the caller vouches for the lanes that are written, and a masked store writes no others;
    // it needs no alignment.
    unsafe {
        match whole {
            true => _mm256_storeu_si256(to.cast(), vector),
            false => _mm256_maskstore_epi32(to.cast(), *lanes, vector),
        }
    };
}
