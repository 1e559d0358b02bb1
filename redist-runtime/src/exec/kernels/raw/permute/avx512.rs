//! Vectors of 16 lanes.

use super::loops::loops;
use super::{
    Functions, Input, Lanes, MAX_FETCHED_INPUTS, OutputGroup, PERIODS_TOGETHER, Sides, VectorPlace,
    fetch_to_read, fetch_to_write,
};
use crate::exec::kernels::Memory;
use core::arch::x86_64::*;
use core::array::from_fn;
use core::ptr;

loops!("avx512f");

type Vector = __m512i;
type TakenLanes = __m512i;
type WrittenLanes = u16;

#[inline]
#[target_feature(enable = "avx512f")]
fn zero() -> Vector {
    _mm512_setzero_si512()
}

#[inline]
#[target_feature(enable = "avx512f")]
fn taken(lanes: &Lanes) -> TakenLanes {
    // SAFETY: the lanes are a vector, and aligned as one.
    unsafe { _mm512_load_si512(lanes.0.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn written(mask: u16) -> WrittenLanes {
    mask
}

/// # Safety
/// A vector may be read.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load(at: *const u8) -> Vector {
    // SAFETY: as the caller says.
    unsafe { _mm512_loadu_si512(at.cast()) }
}

/// # Safety
/// The lanes of the mask may be read.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load_lanes(at: *const u8, mask: u16) -> Vector {
    // SAFETY: as the caller says.
    unsafe { _mm512_maskz_loadu_epi32(mask, at.cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn add(vector: Vector, taken: &TakenLanes, loaded: Vector, _: bool) -> Vector {
    _mm512_permutex2var_epi32(vector, *taken, loaded)
}

/// # Safety
/// The lanes that are written may be.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store(to: *mut u8, written: &WrittenLanes, vector: Vector) {
    // SAFETY: as the caller says.
    unsafe { _mm512_mask_storeu_epi32(to.cast(), *written, vector) };
}
