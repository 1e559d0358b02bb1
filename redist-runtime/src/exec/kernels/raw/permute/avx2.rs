//! Vectors of 8 lanes.

use super::{FETCHED, Functions, Group, Sides, TOGETHER, choice, fetch_to_read, fetch_to_write, functions};
use crate::exec::kernels::Memory;
use core::arch::x86_64::*;
use core::ptr;

choice!();

/// All ones in the lanes of a mask.
#[inline]
#[target_feature(enable = "avx2")]
fn spread(mask: u16) -> __m256i {
    let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(i32::from(mask)), bits), bits)
}

/// # Safety
/// As [`Run`](super::Run); the processor has AVX2.
#[target_feature(enable = "avx2")]
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
        let mut numbers: [__m256i; EACH] = [_mm256_setzero_si256(); EACH];
        let mut taken = numbers;
        let (mut from, mut steps) = ([ptr::null(); EACH], [0; EACH]);
        for each in 0..EACH {
            let place = inputs[each].place;
            // SAFETY: there are more lanes than a vector has, and as many bases and steps as peers.
            unsafe {
                numbers[each] = _mm256_load_si256(lanes[each].0.as_ptr().cast());
                from[each] = sides.from.get_unchecked(place.peer as usize).wrapping_add(place.at as usize);
                steps[each] = *sides.from_steps.get_unchecked(place.peer as usize);
            }
            // Lanes to take have numbers from 8 on, of which permutations see the last three bits.
            taken[each] = _mm256_cmpgt_epi32(numbers[each], _mm256_set1_epi32(7));
        }
        let (peer, mask, whole) = (output.place.peer as usize, spread(output.mask), output.mask == 0xff);
        // SAFETY: as for inputs.
        let (mut to, step) = unsafe {
            (sides.to.get_unchecked(peer).wrapping_add(output.place.at as usize), *sides.to_steps.get_unchecked(peer))
        };
        for period in 0..PERIODS {
            let mut vector = _mm256_setzero_si256();
            for each in 0..EACH {
                let at = from[each].wrapping_add(period * if EVEN { steps[0] } else { steps[each] });
                if READS && EACH <= FETCHED {
                    fetch_to_read(at.wrapping_add(PERIODS * if EVEN { steps[0] } else { steps[each] }));
                }
                // SAFETY: these lanes may be read, as the caller says.
                let loaded = unsafe {
                    match EDGE {
                        true => _mm256_maskload_epi32(at.cast(), spread(inputs[each].mask)),
                        false => _mm256_loadu_si256(at.cast()),
                    }
                };
                let permuted = _mm256_permutevar8x32_epi32(loaded, numbers[each]);
                vector = match each {
                    0 => permuted,
                    _ => _mm256_blendv_epi8(vector, permuted, taken[each]),
                };
            }
            // SAFETY: these lanes may be written, as the caller says.
            unsafe {
                match whole {
                    true => _mm256_storeu_si256(to.cast(), vector),
                    false => _mm256_maskstore_epi32(to.cast(), mask, vector),
                }
            };
            if WRITES {
                fetch_to_write(to.wrapping_add(PERIODS * step));
            }
            to = to.wrapping_add(step);
        }
    }
}
