//! Vectors of 16 lanes.

use super::{FETCHED, Functions, Group, Sides, TOGETHER, choice, fetch_to_read, fetch_to_write, functions};
use crate::exec::kernels::Memory;
use core::arch::x86_64::{
    __m512i, _mm512_load_si512, _mm512_loadu_si512, _mm512_mask_storeu_epi32, _mm512_maskz_loadu_epi32,
    _mm512_permutex2var_epi32, _mm512_setzero_si512,
};
use core::ptr;

choice!();

/// # Safety
/// As [`Run`](super::Run); the processor has AVX-512 F.
#[target_feature(enable = "avx512f")]
unsafe fn run<
    const EACH: usize,
    const PERIODS: usize,
    const EVEN: bool,
    const READS: bool,
    const WRITES: bool,
    const EDGE: bool,
>(
    group: Group<'_>,
    sides: &Sides<'_>,
) {
    let (inputs, lanes) = (group.inputs.as_chunks::<EACH>().0, group.lanes.as_chunks::<EACH>().0);
    for ((output, inputs), lanes) in group.outputs.iter().zip(inputs).zip(lanes) {
        let mut taken: [__m512i; EACH] = [_mm512_setzero_si512(); EACH];
        let (mut from, mut steps) = ([ptr::null(); EACH], [0; EACH]);
        for each in 0..EACH {
            let place = inputs[each].place;
            // SAFETY: the lanes are a vector, and aligned as one; there are as many bases and steps as peers.
            unsafe {
                taken[each] = _mm512_load_si512(lanes[each].0.as_ptr().cast());
                from[each] = sides.from.get_unchecked(place.peer as usize).wrapping_add(place.at as usize);
                steps[each] = *sides.from_steps.get_unchecked(place.peer as usize);
            }
        }
        let peer = output.place.peer as usize;
        // SAFETY: as for inputs.
        let (mut to, step) = unsafe {
            (sides.to.get_unchecked(peer).wrapping_add(output.place.at as usize), *sides.to_steps.get_unchecked(peer))
        };
        for period in 0..PERIODS {
            let mut vector = _mm512_setzero_si512();
            for each in 0..EACH {
                let at = from[each].wrapping_add(period * if EVEN { steps[0] } else { steps[each] });
                if READS && EACH <= FETCHED {
                    fetch_to_read(at.wrapping_add(PERIODS * if EVEN { steps[0] } else { steps[each] }));
                }
                // SAFETY: these lanes may be read, as the caller says.
                let loaded = unsafe {
                    match EDGE {
                        true => _mm512_maskz_loadu_epi32(inputs[each].mask, at.cast()),
                        false => _mm512_loadu_si512(at.cast()),
                    }
                };
                vector = _mm512_permutex2var_epi32(vector, taken[each], loaded);
            }
            // SAFETY: these lanes may be written, as the caller says.
            unsafe { _mm512_mask_storeu_epi32(to.cast(), output.mask, vector) };
            if WRITES {
                fetch_to_write(to.wrapping_add(PERIODS * step));
            }
            to = to.wrapping_add(step);
        }
    }
}
