//! Loops over outputs, periods and inputs, for vectors of 16 lanes.

use super::build::{MAX_INPUTS, MaskedVector, OutputGroup, VectorPlace};
use crate::cache::{fetch_to_read, fetch_to_write};
use crate::exec::kernels::Memory;
use core::arch::x86_64::*;
use core::array::from_fn;
use core::ptr;

pub(super) const PERIODS_TOGETHER: usize = 8;

/// Most inputs prefetched per output: further ones are mostly lines that other outputs prefetch.
const MAX_FETCHED_INPUTS: usize = 5;

/// Start of the current period and distance to the next: for each peer, or the local array.
pub(super) struct Sides<'a> {
    pub from: &'a [*mut u8],
    pub from_steps: &'a [usize],
    pub to: &'a [*mut u8],
    pub to_steps: &'a [usize],
}

/// Writes a group's outputs, of the function's number of inputs, period by period.
///
/// # Safety
/// Each period's input vectors may be read; for edges, their masked lanes. The masked lanes of the
/// outputs may be written. The processor has the function's instructions.
type PermuteFn = unsafe fn(&OutputGroup, &Sides<'_>);

pub(super) struct Functions {
    /// One period, up to the ends of everything.
    pub edge: [PermuteFn; MAX_INPUTS],
    pub inner: [PermuteFn; MAX_INPUTS],
}

pub(super) fn functions(packs: bool, even: bool, memory: Memory) -> &'static Functions {
    const PACK: Functions = of::<true, false, false>();
    const UNPACK_EVEN: Functions = of::<true, false, true>();
    const UNPACK: Functions = of::<false, false, true>();
    const FETCH_EVEN: Functions = of::<true, true, true>();
    const FETCH: Functions = of::<false, true, true>();
    match (packs, even, memory) {
        (true, _, Memory::Cached) => &PACK,
        (false, true, Memory::Cached) => &UNPACK_EVEN,
        (false, false, Memory::Cached) => &UNPACK,
        (_, true, _) => &FETCH_EVEN,
        (_, false, _) => &FETCH,
    }
}

const fn of<const EVEN: bool, const READS: bool, const WRITES: bool>() -> Functions {
    macro_rules! of_each {
        ($($each:literal)*) => {
            Functions {
                edge: [$(run::<$each, 1, true, false, false, true>),*],
                inner: [$(run::<$each, PERIODS_TOGETHER, EVEN, READS, WRITES, false>),*],
            }
        };
    }
    of_each!(1 2 3 4 5 6 7 8 9 10)
}

/// `EVEN`: all inputs have one stride. `READS`, `WRITES`: prefetches the next periods' sources,
/// targets. `EDGE`: vectors may pass the end.
///
/// # Safety
/// As [`PermuteFn`]; the processor has AVX-512 F.
#[target_feature(enable = "avx512f")]
unsafe fn run<
    const EACH: usize,
    const PERIODS: usize,
    const EVEN: bool,
    const READS: bool,
    const WRITES: bool,
    const EDGE: bool,
>(
    group: &OutputGroup,
    sides: &Sides<'_>,
) {
    let (inputs, lanes) = (group.inputs.as_chunks::<EACH>().0, group.lanes.as_chunks::<EACH>().0);
    for ((output, inputs), lanes) in group.outputs.iter().zip(inputs).zip(lanes) {
        // SAFETY: the 16 lanes of 4 bytes are as long as a vector, and aligned to its 64 bytes.
        let lanes: [__m512i; EACH] =
            from_fn(|each| unsafe { _mm512_load_si512(lanes[each].0.as_ptr().cast()) });
        let (mut from, mut steps) = ([ptr::null(); EACH], [0; EACH]);
        for (each, MaskedVector { place, .. }) in inputs.iter().enumerate() {
            // SAFETY: inputs have places of the pattern's peers, or of the local array, which is
            // number 0 alone; `sides` has a base and a step for each.
            unsafe {
                from[each] =
                    sides.from.get_unchecked(place.peer as usize).wrapping_add(place.at as usize);
                steps[each] = *sides.from_steps.get_unchecked(place.peer as usize);
            }
        }
        let (VectorPlace { peer, at }, mask) = (output.place, output.mask);
        // SAFETY: outputs have places of the pattern's peers, or of the local array, which is
        // number 0 alone; `sides` has a base and a step for each.
        let (mut to, step) = unsafe {
            (
                sides.to.get_unchecked(peer as usize).wrapping_add(at as usize),
                *sides.to_steps.get_unchecked(peer as usize),
            )
        };
        for period in 0..PERIODS {
            let mut vector = _mm512_setzero_si512();
            for each in 0..EACH {
                let step = if EVEN { steps[0] } else { steps[each] };
                let at = from[each].wrapping_add(period * step);
                if READS && EACH <= MAX_FETCHED_INPUTS {
                    fetch_to_read(at.wrapping_add(PERIODS * step));
                }
                // SAFETY: in each of `PERIODS` periods the caller vouches for this vector or, at an
                // edge, for its masked lanes: a masked load reads no others. Neither load needs an
                // alignment.
                let loaded = unsafe {
                    match EDGE {
                        true => _mm512_maskz_loadu_epi32(inputs[each].mask, at.cast()),
                        false => _mm512_loadu_si512(at.cast()),
                    }
                };
                vector = _mm512_permutex2var_epi32(vector, lanes[each], loaded);
            }
            // SAFETY: in each of `PERIODS` periods the caller vouches for this output's masked
            // lanes. A masked store writes no others and needs no alignment.
            unsafe { _mm512_mask_storeu_epi32(to.cast(), mask, vector) };
            if WRITES {
                fetch_to_write(to.wrapping_add(PERIODS * step));
            }
            to = to.wrapping_add(step);
        }
    }
}
