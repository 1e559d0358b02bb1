//! Copies steps known at compile time: compiled loops, with constant offsets and permutations.
//!
//! Runs of whole units of 8 bytes are copies, statement by statement. A [`VectorTable`] has the
//! vectors of a step with shorter runs; each module assembles them in one way. Code generic over
//! [`CompiledStep`] is compiled with its item, if the step gains by it.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod copied_step;
mod copied_streams;
mod copies;
mod fit;
#[cfg(target_arch = "aarch64")]
mod neon;
mod shares;
mod step;
mod steps;
// Other processors have no long vectors.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
mod table;

use crate::exec::kernels::Vectors;
use crate::program::{MAX_STEP_PEERS, MIN_STATEMENT_BYTES};
use core::ops::Range;
use shares::Shares;
pub(in crate::exec) use step::CompiledStep;
use step::{MIN_COPIED_UNIT_BYTES, WriteStream};

/// Bytes of an array from which AVX2 joins runs of 8 bytes of several streams faster. Statements took
/// .8 to 1.0 of its time below, and 1.0 to 1.26 above (AMD EPYC, 27 November 2026).
const MIN_MEMORY_BYTES: usize = 10 << 20;

/// Bytes copied stream by stream, in a first-level cache; stores to streams in turn are slower.
const TOGETHER_BYTES: usize = 4096;

#[derive(Clone, Copy, Debug)]
pub(in crate::exec) struct StepKernel {
    times: usize,
    read: &'static [usize],
    written: &'static [usize],
    vectors: Vectors,
    /// `true` if the code permutes bytes, which not all such processors can.
    needs_vbmi: bool,
    /// `true` if it gains by arrays from [`MIN_MEMORY_BYTES`] on.
    from_memory: bool,
    streams: [WriteStream; MAX_STEP_PEERS],
}

pub(in crate::exec) type StepKernels = [Option<StepKernel>; 5];

pub(in crate::exec) const fn kernels<S: CompiledStep>() -> StepKernels {
    let Some(moves) = &S::MOVES else { return [None; 5] };
    let unit = moves.unit(S::WIDTH);
    let copies = match unit >= MIN_COPIED_UNIT_BYTES {
        true => {
            let streams = copied_streams::chosen::<S>();
            kernel(&S::COPIES.shares, 1, (Vectors::Portable, false, false), streams)
        }
        false => None,
    };
    let merges = step::merges(moves, S::WIDTH);
    if unit >= MIN_STATEMENT_BYTES && !merges {
        return [copies, None, None, None, None];
    }
    #[cfg(target_arch = "x86_64")]
    {
        let vectors = (Vectors::Avx2, false, merges);
        let avx2 = kernel(S::SHORT_SHARES, S::SHORT.times, vectors, avx2::streams::<S>());
        let avx512 = match S::LONG.units.bytes {
            1 => avx512::lanes_of_1::streams::<S>(),
            2 => avx512::lanes_of_2::streams::<S>(),
            _ => avx512::lanes_of_4::streams::<S>(),
        };
        let vectors = (Vectors::Avx512, S::LONG.units.bytes == 1, false);
        let avx512 = kernel(S::LONG_SHARES, S::LONG.times, vectors, avx512);
        [copies, None, None, avx2, avx512]
    }
    #[cfg(target_arch = "aarch64")]
    {
        let vectors = (Vectors::Neon, false, false);
        let neon = kernel(S::SHORT_SHARES, S::SHORT.times, vectors, neon::streams::<S>());
        [copies, neon, None, None, None]
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    [copies, None, None, None, None]
}

/// Returns `None` for a step without shares.
const fn kernel(
    shares: &'static Shares,
    times: usize,
    (vectors, needs_vbmi, from_memory): (Vectors, bool, bool),
    streams: [WriteStream; MAX_STEP_PEERS],
) -> Option<StepKernel> {
    if shares.writes == 0 {
        return None;
    }
    let read = shares.read.split_at(shares.reads).0;
    let written = shares.written.split_at(shares.writes).0;
    Some(StepKernel { times, read, written, vectors, needs_vbmi, from_memory, streams })
}

/// Returns the fastest kernel for an array of as many bytes.
pub(in crate::exec) fn best(
    kernels: &StepKernels,
    vectors: Vectors,
    array: usize,
) -> Option<StepKernel> {
    let gains = |kernel: &StepKernel| {
        (!kernel.from_memory || array >= MIN_MEMORY_BYTES) && (!kernel.needs_vbmi || has_vbmi())
    };
    kernels[..=vectors as usize].iter().rev().find_map(|kernel| kernel.filter(gains))
}

fn has_vbmi() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx512vbmi");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

impl StepKernel {
    pub fn times(&self) -> usize {
        self.times
    }

    pub fn read(&self) -> &'static [usize] {
        self.read
    }

    pub fn written(&self) -> &'static [usize] {
        self.written
    }

    pub fn vectors(&self) -> Vectors {
        self.vectors
    }

    /// Copies steps to the streams in `range`, and advances the pointers in place. A longer vector
    /// would wait for their stores.
    ///
    /// # Safety
    /// In each step, [`read`](Self::read) bytes from the pointers on may be read in all streams for
    /// the range. [`written`](Self::written) bytes may be written in the streams of the range, of
    /// which there are as many, and they do not overlap. The processor has the kernel's
    /// instructions.
    pub unsafe fn copy(
        &self,
        mut steps: usize,
        from: &mut [*const u8; MAX_STEP_PEERS],
        to: &mut [*mut u8; MAX_STEP_PEERS],
        range: Range<usize>,
    ) {
        let bytes: usize = self.written[range.clone()].iter().sum();
        let together = if range.len() == 1 { steps } else { (TOGETHER_BYTES / bytes).max(1) };
        while steps > 0 {
            let some = steps.min(together);
            for stream in range.clone() {
                // SAFETY: the caller vouches for these steps; no pointer has advanced past them.
                unsafe { self.streams[stream](some, from, to[stream]) };
                to[stream] = to[stream].wrapping_add(some * self.written[stream]);
            }
            for (from, bytes) in from.iter_mut().zip(self.read) {
                *from = from.wrapping_add(some * bytes);
            }
            steps -= some;
        }
    }
}
