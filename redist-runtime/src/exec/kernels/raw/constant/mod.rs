//! Copies of steps that the compiler knows: it writes the loops out, with offsets and permutations
//! as constants.
//!
//! A [`VectorTable`] has the vectors of a step; each module has one way to put them together. What is
//! generic over [`CompiledStep`] is compiled where an item is, and only for steps that have a
//! table.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod fit;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(any(test, not(target_arch = "aarch64")))]
mod portable;
mod step;
mod steps;
// Other processors have no long vectors.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
mod table;

use crate::exec::kernels::Vectors;
use crate::program::MAX_STEP_PEERS;
use core::ops::Range;
pub(in crate::exec) use step::CompiledStep;
use step::WriteStream;
use table::VectorTable;

/// Bytes that are read and written one stream after the other: streams of stores that take turns
/// are slower, and so much stays in a first-level cache.
const TOGETHER_BYTES: usize = 4096;

/// Smallest number of bytes that all runs are multiples of, from which the compiler puts vectors of
/// SSE2 together by itself.
#[cfg(target_arch = "x86_64")]
const MIN_SSE2_UNIT_BYTES: usize = 4;

/// What copies steps that the compiler knew.
#[derive(Clone, Copy, Debug)]
pub(in crate::exec) struct StepKernel {
    /// Periods of a step.
    times: usize,
    /// Bytes of a step in each stream that is read.
    read: &'static [usize],
    /// Bytes of a step in each stream that is written.
    written: &'static [usize],
    vectors: Vectors,
    /// Whether these instructions include permutations of bytes, which not all such processors have.
    needs_vbmi: bool,
    streams: [WriteStream; MAX_STEP_PEERS],
}

/// The kernels of a step, for each kind of vectors.
pub(in crate::exec) type StepKernels = [Option<StepKernel>; 5];

/// What is compiled for a step.
pub(in crate::exec) const fn kernels<S: CompiledStep>() -> StepKernels {
    // Where there are vectors, it is only what they are compared with.
    #[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let portable = kernel(S::SHORT, Vectors::Portable, portable::streams::<S>());
    #[cfg(all(not(test), any(target_arch = "x86_64", target_arch = "aarch64")))]
    let portable = None;
    #[cfg(target_arch = "x86_64")]
    {
        let sse2 = match S::SHORT.unit >= MIN_SSE2_UNIT_BYTES {
            true => kernel(S::SHORT, Vectors::Sse2, portable::streams::<S>()),
            false => None,
        };
        let avx2 = kernel(S::SHORT, Vectors::Avx2, avx2::streams::<S>());
        let avx512 = match S::LONG.units.bytes {
            1 => avx512::lanes_of_1::streams::<S>(),
            2 => avx512::lanes_of_2::streams::<S>(),
            _ => avx512::lanes_of_4::streams::<S>(),
        };
        let avx512 = kernel(S::LONG, Vectors::Avx512, avx512);
        [portable, None, sse2, avx2, avx512]
    }
    #[cfg(target_arch = "aarch64")]
    {
        let neon = kernel(S::SHORT, Vectors::Neon, neon::streams::<S>());
        [portable, neon, None, None, None]
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    [portable, None, None, None, None]
}

const fn kernel(
    table: &'static VectorTable,
    vectors: Vectors,
    streams: [WriteStream; MAX_STEP_PEERS],
) -> Option<StepKernel> {
    if table.times == 0 {
        return None;
    }
    Some(StepKernel {
        times: table.times,
        read: table.read.split_at(table.reads).0,
        written: table.written.split_at(table.writes).0,
        vectors,
        needs_vbmi: matches!(vectors, Vectors::Avx512) && table.units.bytes == 1,
        streams,
    })
}

/// The kernel with the most that may be used.
pub(in crate::exec) fn best(kernels: &StepKernels, vectors: Vectors) -> Option<StepKernel> {
    let may_run = |kernel: &StepKernel| !kernel.needs_vbmi || has_vbmi();
    kernels[..=vectors as usize].iter().rev().find_map(|kernel| kernel.filter(may_run))
}

/// Whether the processor permutes bytes of long vectors.
pub(in crate::exec) fn has_vbmi() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx512vbmi");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

impl StepKernel {
    /// Periods of a step.
    pub fn times(&self) -> usize {
        self.times
    }

    /// Bytes of a step in each stream that is read.
    pub fn read(&self) -> &'static [usize] {
        self.read
    }

    /// Bytes of a step in each stream that is written.
    pub fn written(&self) -> &'static [usize] {
        self.written
    }

    /// The instructions.
    pub fn vectors(&self) -> Vectors {
        self.vectors
    }

    /// Copies steps to the streams in `range`, and advances the pointers.
    ///
    /// They are one by one where they are: a pointer that is stored and then moved as a part of a
    /// longer vector is waited for, behind all that was stored before it.
    ///
    /// # Safety
    /// In each of the steps, the bytes of [`read`](Self::read) from the pointers on may be read in
    /// all streams that these ones need, those of [`written`](Self::written) may be written in the
    /// streams of the range, of which there are as many, and they do not overlap. The processor has
    /// the kernel's instructions.
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
                // SAFETY: the caller vouches for these steps, and has advanced no pointer past them.
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
