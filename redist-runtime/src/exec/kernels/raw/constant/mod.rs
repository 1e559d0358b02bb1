//! Copies steps known at compile time: compiled loops, with constant offsets and permutations.
//!
//! Runs of whole units of 8 bytes are copies, statement by statement. A [`VectorTable`] has the
//! vectors of a step with shorter runs; each module assembles them in one way. Code generic over
//! [`CompiledStep`] is compiled with its item, if the step gains by it.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod copies;
mod elements;
#[cfg(target_arch = "aarch64")]
mod neon;
mod step;
mod steps;
// Other processors have no long vectors.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
mod table;
mod written;

use crate::cache::{LINE_BYTES, fetch_to_read};
use crate::exec::kernels::{Memory, Vectors};
use crate::program::{MAX_PEERS, MAX_STEP_PEERS, MIN_STATEMENT_BYTES};
use core::ops::Range;
pub use elements::{of_1, of_2, of_4, of_8, of_16};
pub(in crate::exec) use step::CompiledStep;
use step::{MIN_COPIED_UNIT_BYTES, WriteStream};
use table::Shares;
pub(in crate::exec) use written::StepLoop;
pub use written::{Bytes, Exchange, Pack, Unpack};

/// Bytes written after which the next ones are fetched.
const FETCHED_BYTES: usize = 2048;

/// Parts of that size between fetching a line and its copy.
const PARTS_AHEAD: usize = 2;

/// Bytes copied stream by stream, in a first-level cache; stores to streams in turn are slower.
const TOGETHER_BYTES: usize = 4096;

/// The same for a loop of an item's text, whose call costs more.
const TEXT_TOGETHER_BYTES: usize = 8192;

/// Compiled code that copies steps of one kind.
#[derive(Clone, Copy, Debug)]
pub(in crate::exec) struct StepKernel {
    /// Periods of a step.
    pub times: usize,
    /// Bytes of a step in each stream that is read.
    read: &'static [usize],
    /// Bytes of a step in each stream that is written.
    written: &'static [usize],
    /// Instructions that the code uses.
    pub vectors: Vectors,
    /// `true` if the code permutes bytes, which not all such processors can.
    needs_vbmi: bool,
    /// `true` if lines are fetched ahead of the copies.
    fetches: bool,
    /// Code that writes each stream.
    code: StreamCode,
}

/// Code that writes streams of a step.
#[derive(Clone, Copy, Debug)]
enum StreamCode {
    /// A function for each stream.
    Streams([WriteStream; MAX_STEP_PEERS]),
    /// The loop of the item's text, for all streams.
    Text(StepLoop),
}

/// The code for one step by [`Vectors`], if it is worth having.
pub(in crate::exec) type StepKernels = [Option<StepKernel>; 5];

pub(in crate::exec) const fn kernels<S: CompiledStep>() -> StepKernels {
    let Some(moves) = S::MOVES else { return [None; 5] };
    let unit = moves.unit(S::WIDTH);
    let copies = match unit >= MIN_COPIED_UNIT_BYTES {
        true => {
            let streams = StreamCode::Streams(copies::streams::<S>());
            kernel(&S::COPIES.shares, 1, (Vectors::Portable, false), streams)
        }
        false => None,
    };
    if unit >= MIN_STATEMENT_BYTES {
        return [copies, None, None, None, None];
    }
    #[cfg(target_arch = "x86_64")]
    {
        let vectors = (Vectors::Avx2, false);
        let streams = StreamCode::Streams(avx2::streams::<S>());
        let avx2 = kernel(S::SHORT_SHARES, S::SHORT.times, vectors, streams);
        let avx512 = match S::LONG.units.bytes {
            1 => avx512::lanes_of_1::streams::<S>(),
            2 => avx512::lanes_of_2::streams::<S>(),
            _ => avx512::lanes_of_4::streams::<S>(),
        };
        let vectors = (Vectors::Avx512, S::LONG.units.bytes == 1);
        let streams = StreamCode::Streams(avx512);
        let avx512 = kernel(S::LONG_SHARES, S::LONG.times, vectors, streams);
        [copies, None, None, avx2, avx512]
    }
    #[cfg(target_arch = "aarch64")]
    {
        let vectors = (Vectors::Neon, false);
        let streams = StreamCode::Streams(neon::streams::<S>());
        let neon = kernel(S::SHORT_SHARES, S::SHORT.times, vectors, streams);
        [copies, neon, None, None, None]
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    [copies, None, None, None, None]
}

/// Returns `None` for a step without shares.
const fn kernel(
    shares: &'static Shares,
    times: usize,
    (vectors, needs_vbmi): (Vectors, bool),
    code: StreamCode,
) -> Option<StepKernel> {
    if shares.writes == 0 {
        return None;
    }
    let read = shares.read.split_at(shares.reads).0;
    let written = shares.written.split_at(shares.writes).0;
    Some(StepKernel { times, read, written, vectors, needs_vbmi, fetches: false, code })
}

/// Returns the kernel with the longest vectors.
pub(in crate::exec) fn best(
    kernels: &StepKernels,
    vectors: Vectors,
    memory: Memory,
) -> Option<StepKernel> {
    let runs = |kernel: &StepKernel| !kernel.needs_vbmi || has_vbmi();
    let kernel =
        kernels[..=vectors as usize].iter().rev().find_map(|kernel| kernel.filter(runs))?;
    Some(StepKernel { fetches: memory == Memory::Prefetched, ..kernel })
}

fn has_vbmi() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx512vbmi");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

impl StepKernel {
    /// Returns the loop of an item's text, for steps of as many bytes in each stream.
    pub fn of_text(read: &'static [usize], written: &'static [usize], text: StepLoop) -> Self {
        let (times, vectors, code) = (1, Vectors::Portable, StreamCode::Text(text));
        Self { times, read, written, vectors, needs_vbmi: false, fetches: false, code }
    }

    pub fn read(&self) -> &'static [usize] {
        self.read
    }

    pub fn written(&self) -> &'static [usize] {
        self.written
    }

    /// Returns the loop of the item's text, if that is the code.
    pub fn text(&self) -> Option<StepLoop> {
        match self.code {
            StreamCode::Text(text) => Some(text),
            StreamCode::Streams(_) => None,
        }
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
        let streams = match &self.code {
            StreamCode::Streams(streams) => streams,
            // SAFETY: this function's contract is that of the loop.
            StreamCode::Text(text) => return unsafe { text.copy(self, steps, (from, to), range) },
        };
        let together = self.together(TOGETHER_BYTES, steps, &range);
        while steps > 0 {
            let some = steps.min(together);
            if self.fetches {
                self.fetch(some, from, &to[range.clone()], &self.written[range.clone()]);
            }
            for stream in range.clone() {
                // SAFETY: the caller vouches for these steps; no pointer has advanced past them.
                unsafe { streams[stream](some, from, to[stream]) };
                to[stream] = to[stream].wrapping_add(some * self.written[stream]);
            }
            for (from, bytes) in from.iter_mut().zip(self.read) {
                *from = from.wrapping_add(some * bytes);
            }
            steps -= some;
        }
    }

    /// Returns the steps that are copied stream by stream, for as many bytes.
    #[inline(always)]
    fn together(&self, bytes: usize, steps: usize, range: &Range<usize>) -> usize {
        let written: usize = self.written[range.clone()].iter().sum();
        match (self.fetches, range.len()) {
            (true, _) => (FETCHED_BYTES / written).max(1),
            (false, 1) => steps,
            (false, _) => (bytes / written).max(1),
        }
    }

    /// Fetches lines for a loop of a text, if lines are to be fetched.
    fn fetch_if_wanted(&self, steps: usize, from: &[*mut u8], to: &[*mut u8]) {
        if self.fetches {
            let mut read = [core::ptr::null(); MAX_PEERS];
            read.iter_mut().zip(from).for_each(|(read, from)| *read = from.cast_const());
            self.fetch(steps, &read[..from.len()], to, self.written);
        }
    }

    /// Fetches lines of as many steps, [`PARTS_AHEAD`] times as far on.
    fn fetch(&self, steps: usize, from: &[*const u8], to: &[*mut u8], written: &[usize]) {
        let lines = |share: &usize| {
            let bytes = steps * share;
            (0..bytes).step_by(LINE_BYTES).map(move |at| PARTS_AHEAD * bytes + at)
        };
        for (from, share) in from.iter().zip(self.read) {
            lines(share).for_each(|at| fetch_to_read(from.wrapping_add(at)));
        }
        for (to, share) in to.iter().zip(written) {
            lines(share).for_each(|at| fetch_to_read(to.wrapping_add(at)));
        }
    }
}
