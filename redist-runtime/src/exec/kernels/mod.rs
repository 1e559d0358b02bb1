//! How rows are copied between a local array and messages.
//!
//! A kernel is chosen when a plan is bound, from the shape of a rank's runs ([`choose`]); a
//! [`KernelChoice`] says which, and why. All unsafe code is in `raw/`; [`row_section`] is its
//! checked interface.

mod build;
mod choose;
mod kernel_choice;
mod known;
mod memory;
mod pattern;
mod raw;
mod row_kernel;
mod row_part;
mod row_section;
#[cfg(test)]
mod tests;
mod vectors;

pub use kernel_choice::{Kernel, KernelChoice};
pub use known::Kernels;
pub(super) use known::{WrittenExchange, WrittenStep, gaining};
pub use memory::Memory;
#[cfg(test)]
pub(super) use raw::constant::has_vbmi;
pub(super) use raw::constant::{
    CompiledStep, StepKernel, StepKernels, best, kernels as step_kernels,
};
pub(super) use raw::moves::{AnyLength, CopyRun};
pub(super) use raw::networks::Network;
pub(super) use row_kernel::{RowKernel, RowSizes};
pub(super) use row_section::MAX_PEERS;
pub use vectors::Vectors;

use crate::plan::Side;

/// The side that is copied from.
pub(super) trait CopyDirection {
    /// True from the local array to messages.
    const PACKS: bool;
    /// The side of the local array.
    const SIDE: Side = if Self::PACKS { Side::Source } else { Side::Destination };

    /// The source and the target of a copy between a place in the local array and one in a message.
    fn ends(local: *mut u8, message: *mut u8) -> (*const u8, *mut u8);
}

/// From the local array to messages.
pub(super) struct ToMessages;

/// From messages to the local array.
pub(super) struct FromMessages;

impl CopyDirection for ToMessages {
    const PACKS: bool = true;

    #[inline(always)]
    fn ends(local: *mut u8, message: *mut u8) -> (*const u8, *mut u8) {
        (local, message)
    }
}

impl CopyDirection for FromMessages {
    const PACKS: bool = false;

    #[inline(always)]
    fn ends(local: *mut u8, message: *mut u8) -> (*const u8, *mut u8) {
        (message, local)
    }
}
