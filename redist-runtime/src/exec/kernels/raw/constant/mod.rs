//! Copies of steps that the compiler knows: it writes the loops out, with offsets and permutations
//! as constants.
//!
//! A [`Table`] has the vectors of a step; each module has one way to put them together. What is
//! generic over [`CompiledStep`] is compiled where an item is, and only for steps that have a
//! table.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod sse2;
mod steps;
mod table;

use crate::exec::kernels::Vectors;
use crate::exec::kernels::pattern::Pattern;
use crate::program::{MAX_STEP_PEERS, RunGroup, RunStep, StepRun};
use table::{Reach, Table};

/// Bytes of the local array that are packed one message after the other.
const TOGETHER_BYTES: usize = 4096;

/// Bytes of runs from which shorter vectors need so few inputs that longer ones gain nothing.
#[cfg(target_arch = "x86_64")]
const MIN_SHORT_UNIT_BYTES: usize = 8;

/// A step as a type, so that the compiler knows its tables.
pub(in crate::exec) trait CompiledStep {
    /// True from the local array to messages.
    const PACKS: bool;
    /// The runs, where there is a step.
    const STEP: Option<RunStep>;
    /// Bytes of an element.
    const WIDTH: usize;
    /// Its vectors of 16 bytes.
    #[allow(private_interfaces)] // Used here alone.
    const SHORT: &'static Table = &table::<Self>(1, Reach::Whole);
    /// Its vectors of 16 lanes of 4 bytes.
    #[allow(private_interfaces)] // Used here alone.
    const LONG: &'static Table = &table::<Self>(4, Reach::Masked);
}

const fn table<S: CompiledStep + ?Sized>(unit: usize, reach: Reach) -> Table {
    match S::STEP {
        Some(step) => match Table::new(&step, S::WIDTH, S::PACKS, unit, reach) {
            Some(table) => table,
            None => Table::NONE,
        },
        None => Table::NONE,
    }
}

/// Copies a number of steps between the local array and the messages, whose cursors may be advanced.
///
/// # Safety
/// In each step, the [`span`](StepKernel::span) of the local array and, for each message, from its
/// cursor on, its [share](StepKernel::shares) may be read or written, as the direction says, and
/// they do not overlap. The processor has the kernel's instructions.
type CopySteps = unsafe fn(usize, *mut u8, &mut [*mut u8]);

/// Writes a vector, or a pair, of a step: from where the step begins in each stream that is read, to
/// the stream that is written.
///
/// # Safety
/// The step may be read, and written, as its table says.
type Write = unsafe fn([*const u8; MAX_STEP_PEERS], *mut u8);

/// Packs what belongs to one message, some steps at a time: their number, the local array, the
/// message. Returns where the message goes on.
///
/// # Safety
/// As [`CopySteps`], for one message.
type Message = unsafe fn(usize, *mut u8, *mut u8) -> *mut u8;

/// Stands for a vector that there is none of; not called.
fn no_write(_: [*const u8; MAX_STEP_PEERS], _: *mut u8) {}

/// Stands for a message that there is none of; not called.
fn no_message(_: usize, _: *mut u8, to: *mut u8) -> *mut u8 {
    to
}

/// What copies steps that the compiler knew.
#[derive(Clone, Copy, Debug)]
pub(in crate::exec) struct StepKernel {
    step: &'static RunStep,
    /// Bytes of an element.
    width: usize,
    /// Periods of a step.
    times: usize,
    span: usize,
    shares: &'static [usize],
    vectors: Vectors,
    copy: CopySteps,
}

/// The kernels of a step, for each kind of vectors.
pub(in crate::exec) type StepKernels = [Option<StepKernel>; 4];

/// What is compiled for a step: nothing where the library's own code is as good.
pub(in crate::exec) const fn kernels<S: CompiledStep>() -> StepKernels {
    if let Some(step) = S::STEP
        && !gains(&step, S::WIDTH)
    {
        return [None; 4];
    }
    // Where there are vectors, it is only what they are compared with.
    #[cfg(any(test, not(target_arch = "x86_64")))]
    let portable = kernel::<S>(S::SHORT, Vectors::Portable, portable::copy::<S>);
    #[cfg(not(any(test, not(target_arch = "x86_64"))))]
    let portable = None;
    #[cfg(target_arch = "x86_64")]
    {
        let sse2 = match S::SHORT.unit >= sse2::MIN_UNIT_BYTES {
            true => kernel::<S>(S::SHORT, Vectors::Sse2, sse2::copy::<S>),
            false => None,
        };
        let avx2 = kernel::<S>(S::SHORT, Vectors::Avx2, avx2::copy::<S>);
        let avx512 = match S::SHORT.unit < MIN_SHORT_UNIT_BYTES || S::SHORT.times == 0 {
            true => kernel::<S>(S::LONG, Vectors::Avx512, avx512::copy::<S>),
            false => None,
        };
        [portable, sse2, avx2, avx512]
    }
    #[cfg(not(target_arch = "x86_64"))]
    [portable, None, None, None]
}

/// Whether constants gain anything. Runs for all peers in turn are copied as fast by moves of a
/// constant length, or, where there is a network for their number, by that.
const fn gains(step: &RunStep, width: usize) -> bool {
    let (runs, peers) = (step.runs(), step.shares().len());
    if !step.is_in_turn() {
        return true;
    }
    let bytes = (runs[0].len as usize).saturating_mul(width);
    let network =
        cfg!(target_arch = "x86_64") && matches!(bytes, 4 | 8 | 16) && matches!(peers, 2 | 4 | 8);
    bytes < MIN_MOVED_RUN_BYTES && !network
}

/// Bytes of runs in turn from which moves of a constant length are as good.
const MIN_MOVED_RUN_BYTES: usize = 32;

const fn kernel<S: CompiledStep>(
    table: &'static Table,
    vectors: Vectors,
    copy: CopySteps,
) -> Option<StepKernel> {
    match const { &S::STEP } {
        Some(step) if table.times > 0 => Some(StepKernel {
            step,
            width: S::WIDTH,
            times: table.times,
            span: table.span,
            shares: table.shares.split_at(table.peers).0,
            vectors,
            copy,
        }),
        _ => None,
    }
}

impl StepKernel {
    /// The runs of one period, in elements.
    pub fn runs(&self) -> &'static [StepRun] {
        self.step.runs()
    }

    /// Whether the runs have one length, and all peers get one in turn.
    pub fn is_in_turn(&self) -> bool {
        self.step.is_in_turn()
    }

    /// The runs of a period, in bytes.
    pub(in super::super) fn pattern(&self) -> Pattern {
        let groups: Vec<RunGroup> = self
            .runs()
            .iter()
            .map(|run| RunGroup { len: run.len.into(), count: 1, peer: run.peer.into() })
            .collect();
        let pattern = Pattern::new(&groups, self.width, self.shares.len(), 1);
        pattern.expect("steps are short")
    }

    /// Elements of one period.
    pub fn period(&self) -> usize {
        self.step.len()
    }

    /// Periods of a step.
    pub fn times(&self) -> usize {
        self.times
    }

    /// Bytes of the local array in a step.
    pub fn span(&self) -> usize {
        self.span
    }

    /// Bytes of each message in a step, from that of the first run on.
    pub fn shares(&self) -> &'static [usize] {
        self.shares
    }

    /// The instructions.
    pub fn vectors(&self) -> Vectors {
        self.vectors
    }

    /// # Safety
    /// As [`CopySteps`].
    pub unsafe fn copy(&self, steps: usize, local: *mut u8, cursors: &mut [*mut u8]) {
        // SAFETY: the contract is the same.
        unsafe { (self.copy)(steps, local, cursors) };
    }
}
