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
    // SAFETY: the 16 lanes of 4 bytes are as long as a vector, and aligned to its 64 bytes.
    unsafe { _mm512_load_si512(lanes.0.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn written(mask: u16) -> WrittenLanes {
    mask
}

/// # Safety
/// A vector may be read; if `EDGE`, the lanes of the mask.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load<const EDGE: bool>(at: *const u8, mask: u16) -> Vector {
    // SAFETY: the caller vouches for a vector, or for the lanes of the mask, and a masked load reads
    // no others; neither needs an alignment.
    unsafe {
        match EDGE {
            true => _mm512_maskz_loadu_epi32(mask, at.cast()),
            false => _mm512_loadu_si512(at.cast()),
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn add(vector: Vector, taken: &TakenLanes, loaded: Vector, _: bool) -> Vector {
    _mm512_permutex2var_epi32(vector, *taken, loaded)
}

/// # Safety
/// The lanes that are written may be written.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store(to: *mut u8, written: &WrittenLanes, vector: Vector) {
    // SAFETY: the caller vouches for the lanes that are written, and a masked store writes no others;
    // it needs no alignment.
    unsafe { _mm512_mask_storeu_epi32(to.cast(), *written, vector) };
}
