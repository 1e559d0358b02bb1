//! Copies rows between a local array and messages.
//!
//! Binding chooses a kernel from the shape of a rank's runs ([`choose`]); [`KernelChoice`] gives
//! the reason. All unsafe code is in `raw/`, behind the checks of [`row_section`].

mod choose;
mod kernel_choice;
mod known;
mod loops;
mod pattern;
mod raw;
mod row_kernel;
mod row_part;
mod row_section;
#[cfg(test)]
mod tests;
mod vectors;

pub use kernel_choice::{Kernel, KernelChoice, Memory};
pub use known::Kernels;
pub(super) use known::{CodeStep, ExchangeCode, RowCode, StepCode};
pub use loops::Loops;
pub use raw::constant::{Bytes, Exchange, Pack, Unpack, of_1, of_2, of_4, of_8, of_16};
pub(super) use raw::constant::{
    CompiledStep, StepKernel, StepKernels, StepLoop, best, kernels as step_kernels,
};
pub(super) use raw::moves::{AnyLength, CopyRun};
pub(super) use raw::networks::Network;
pub use raw::weighted::Weights;
pub(super) use row_kernel::{RowKernel, RowSizes};
pub use vectors::Vectors;

use crate::plan::Side;
pub(super) use crate::program::MAX_PEERS;

/// The direction of copies between the local array and messages, as a type.
pub trait CopyDirection {
    /// `true` if copies read the local array.
    const PACKS: bool;
    /// Side whose local array takes part.
    const SIDE: Side = if Self::PACKS { Side::Source } else { Side::Destination };

    /// Returns the place that is read, and the place that is written.
    #[inline(always)]
    fn ends(local: *mut u8, message: *mut u8) -> (*const u8, *mut u8) {
        if Self::PACKS { (local, message) } else { (message, local) }
    }
}

/// Packs: from the local array to messages.
pub struct ToMessages;

/// Unpacks: from messages to the local array.
pub struct FromMessages;

impl CopyDirection for ToMessages {
    const PACKS: bool = true;
}

impl CopyDirection for FromMessages {
    const PACKS: bool = false;
}
