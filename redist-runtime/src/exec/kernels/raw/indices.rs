//! Lanes of two AVX-512 vectors for permutations. Unsafe, because it loads vectors from arrays.

use core::arch::x86_64::{__m512i, _mm512_loadu_si512};

/// Lane numbers; the second vector's follow the first's.
#[repr(align(64))]
pub(super) struct Indices([u8; 64]);

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn indices(lanes: &Indices) -> __m512i {
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

pub(super) static EVEN_4: Indices = Indices::every_second(0, 16);
pub(super) static ODD_4: Indices = Indices::every_second(1, 16);
pub(super) static LOW_4: Indices = Indices::in_turn(0, 16, 1);
pub(super) static HIGH_4: Indices = Indices::in_turn(8, 16, 1);
pub(super) static EVEN_8: Indices = Indices::every_second(0, 8);
pub(super) static ODD_8: Indices = Indices::every_second(1, 8);
pub(super) static LOW_8: Indices = Indices::in_turn(0, 8, 1);
pub(super) static HIGH_8: Indices = Indices::in_turn(4, 8, 1);
pub(super) static LOW_16: Indices = Indices::in_turn(0, 8, 2);
pub(super) static HIGH_16: Indices = Indices::in_turn(4, 8, 2);
