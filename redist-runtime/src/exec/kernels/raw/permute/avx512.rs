//! Vectors of 16 lanes.

use super::loops::loops;
use super::{FETCHED, Functions, Group, Input, Lanes, Place, Sides, TOGETHER, fetch_to_read, fetch_to_write};
use crate::exec::kernels::Memory;
use core::arch::x86_64::*;
use core::array::from_fn;
use core::ptr;

loops!("avx512f");

type Vector = __m512i;
type Taken = __m512i;
type Written = u16;

#[inline]
#[target_feature(enable = "avx512f")]
fn zero() -> Vector {
    _mm512_setzero_si512()
}

#[inline]
#[target_feature(enable = "avx512f")]
fn taken(lanes: &Lanes) -> Taken {
    // SAFETY: the lanes are a vector, and aligned as one.
    unsafe { _mm512_load_si512(lanes.0.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn written(mask: u16) -> Written {
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
fn add(vector: Vector, taken: &Taken, loaded: Vector, _: bool) -> Vector {
    _mm512_permutex2var_epi32(vector, *taken, loaded)
}

/// # Safety
/// The lanes that are written may be.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store(to: *mut u8, written: &Written, vector: Vector) {
    // SAFETY: as the caller says.
    unsafe { _mm512_mask_storeu_epi32(to.cast(), *written, vector) };
}
