//! Copies by pointers: the unsafe part of the kernels.
//!
//! All functions here share the contract of [`Work`]: a value's constructor derives the bytes read
//! and written. [`RowSection`](super::row_section::RowSection) checks once that slices hold them.

pub(super) mod constant;
#[cfg(target_arch = "x86_64")]
pub(super) mod masked;
pub(super) mod memory;
pub(super) mod moves;
#[cfg(target_arch = "x86_64")]
pub(super) mod network;
pub(super) mod networks;
#[cfg(target_arch = "x86_64")]
pub(super) mod permute;
#[cfg(target_arch = "x86_64")]
pub(super) mod squares;
pub(super) mod table;
pub(super) mod uniform;
pub mod weighted;

use super::{CopyDirection, StepKernel};
use crate::exec::calls::CopiedBytes;
use core::array::from_fn;
use core::ptr;
pub(super) use table::{PatternTable, TableKernel};
pub(super) use uniform::{Uniform, UniformAll};

/// Copies of one section of a row, with the kernel that makes them.
pub(super) enum Work {
    /// Runs of one length for all messages in turn.
    Uniform(Uniform, UniformAll),
    /// Periods of any runs.
    Table(PatternTable, TableKernel),
    /// Periods of runs of 4-byte lanes, by permutations.
    #[cfg(target_arch = "x86_64")]
    Permute(permute::Permutation),
    /// Periods of short runs, in squares.
    #[cfg(target_arch = "x86_64")]
    Squares(squares::SquaredPeriods),
    /// As many steps.
    Steps(StepKernel, usize),
}

/// Returns each message's bytes in a step; messages are the side with several streams.
fn messages(kernel: &StepKernel) -> &'static [usize] {
    if kernel.read().len() > 1 { kernel.read() } else { kernel.written() }
}

/// # Safety
/// The contract of [`Work::all`] holds.
unsafe fn all_steps<D: CopyDirection>(
    (kernel, count): (&StepKernel, usize),
    local: *mut u8,
    cursors: &mut [*mut u8],
) {
    if let Some(text) = kernel.text() {
        // SAFETY: this function's contract is that of the loop: its kernel packs or unpacks by `D`.
        return unsafe { text.copy_messages(kernel, count, local, cursors) };
    }
    let array = |stream: usize| if stream == 0 { local } else { ptr::null_mut() };
    let message = |stream: usize| cursors.get(stream).copied().unwrap_or(ptr::null_mut());
    let (mut from, mut to) = if D::PACKS {
        (from_fn(|stream| array(stream).cast_const()), from_fn(message))
    } else {
        (from_fn(|stream| message(stream).cast_const()), from_fn(array))
    };
    let streams = 0..kernel.written().len();
    // SAFETY: the caller vouches for the bytes of all steps, in the kernel's direction, and for its
    // instructions. One side has one stream, the local array; the opposite side has the messages.
    unsafe { kernel.copy(count, &mut from, &mut to, streams) };
}

impl Work {
    pub fn counter<'a>(&self, copied: &'a mut CopiedBytes) -> &'a mut usize {
        match self {
            Work::Steps(..) => &mut copied.written,
            _ => &mut copied.own,
        }
    }

    /// Returns the bytes of each message, or the maximum if they exceed the addresses. If an array
    /// has as many bytes as all of them, no offset into it or a message overflows.
    pub fn takes(&self) -> Vec<usize> {
        match self {
            Work::Uniform(uniform, _) => {
                (0..uniform.peers).map(|peer| uniform.take(peer)).collect()
            }
            Work::Table(table, _) => table.takes().collect(),
            #[cfg(target_arch = "x86_64")]
            Work::Permute(permutation) => permutation.table.takes().collect(),
            #[cfg(target_arch = "x86_64")]
            Work::Squares(periods) => periods.table.takes().collect(),
            Work::Steps(kernel, count) => {
                messages(kernel).iter().map(|share| share.saturating_mul(*count)).collect()
            }
        }
    }

    /// Copies between the local array and all messages.
    ///
    /// # Safety
    /// Each of [`takes`](Work::takes) has a cursor, which points to that many bytes; `local` points
    /// to as many as all of them. The source side may be read, the other written, and they do
    /// not overlap. The kernel was made for `D`, and the processor has its instructions.
    pub unsafe fn all<D: CopyDirection>(&self, local: *mut u8, cursors: &mut [*mut u8]) {
        // SAFETY: the kernels' contract is this function's, for `takes` of the value that they
        // receive. The caller vouches for it, the direction and the instructions.
        unsafe {
            match self {
                Work::Uniform(uniform, kernel) => kernel(uniform, local, cursors),
                Work::Table(table, kernel) => kernel(table, local, cursors),
                #[cfg(target_arch = "x86_64")]
                Work::Permute(permutation) => permutation.all::<D>(local, cursors),
                #[cfg(target_arch = "x86_64")]
                Work::Squares(periods) => periods.all(local, cursors),
                Work::Steps(kernel, count) => all_steps::<D>((kernel, *count), local, cursors),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::kernels::Memory;
    use crate::exec::kernels::pattern::Pattern;
    use crate::program::RunGroup;

    #[test]
    fn an_array_that_no_address_reaches_the_end_of_is_as_long_as_can_be() {
        let uniform = Uniform::new(8, 2, (1 << 62) + 1, 1, Memory::Cached);
        assert_eq!(uniform.take(0), usize::MAX);
        let pattern = Pattern::new(&[RunGroup { peer: 0, len: 4, count: 2 }], 8, 2, 1).unwrap();
        let table = PatternTable { pattern, repeats: 1 << 60, memory: Memory::Cached };
        assert!(table.takes().all(|bytes| bytes == usize::MAX));
    }

    #[test]
    fn empty_runs_are_left_out() {
        let groups = [0, 3, 0].map(|len| RunGroup { peer: 1, len, count: 2 });
        let pattern = Pattern::new(&groups, 8, 2, 1).unwrap();
        assert_eq!((pattern.runs().len(), pattern.span()), (2, 48));
        assert!(pattern.runs().iter().all(|run| run.len == 24));
    }
}
