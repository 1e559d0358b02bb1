//! Steps as types, whose tables are constants.

use super::table::{CopiedStep, Shares, Units, VectorTable};
use crate::program::{MAX_STEP_PEERS, MIN_STATEMENT_BYTES, StepMoves};
#[cfg(target_arch = "x86_64")]
use redist_plan::arithmetic::min;

/// Bytes of the units of runs from which processors without long vectors gain by copies.
pub(super) const MIN_COPIED_UNIT_BYTES: usize = match () {
    () if cfg!(target_arch = "x86_64") => 4,
    () if cfg!(target_arch = "aarch64") => MIN_STATEMENT_BYTES,
    () => 1,
};

/// A step as a type, to make its tables constants.
#[allow(private_interfaces)] // Only this file uses tables and shares.
pub(in crate::exec) trait CompiledStep {
    /// Moves of the step, if code gains anything.
    const MOVES: &'static Option<StepMoves>;
    /// Bytes of an element.
    const WIDTH: usize;
    /// `true` to use the code even if it gains nothing.
    const ALWAYS: bool = false;
    const COPIES: &'static CopiedStep = &CopiedStep::new(Self::MOVES, Self::WIDTH);
    const SHORT: &'static VectorTable = match Self::MOVES {
        Some(moves) if moves.unit(Self::WIDTH) < MIN_STATEMENT_BYTES => {
            &VectorTable::new(moves, Self::WIDTH, Units::SHORT)
        }
        _ => VectorTable::NOTHING,
    };
    const SHORT_SHARES: &'static Shares = &{ Self::SHORT.shares };
    #[cfg(target_arch = "x86_64")]
    const LONG: &'static VectorTable = match Self::MOVES {
        Some(moves) if moves.unit(Self::WIDTH) < MIN_STATEMENT_BYTES => {
            let units = Units::lanes(min(moves.unit(Self::WIDTH), 4));
            &VectorTable::new(moves, Self::WIDTH, units)
        }
        _ => VectorTable::NOTHING,
    };
    #[cfg(target_arch = "x86_64")]
    const LONG_SHARES: &'static Shares = &{ Self::LONG.shares };
}

/// Writes one stream of several steps, from their start on.
///
/// # Safety
/// In each step, the table's bytes of each stream may be read from the pointers on. The bytes of
/// this stream may be written, and they do not overlap. The processor has the kernel's
/// instructions.
pub(super) type WriteStream = unsafe fn(usize, &[*const u8; MAX_STEP_PEERS], *mut u8);

/// Writes a vector, or a pair, of a step.
///
/// # Safety
/// The contract of [`WriteStream`] holds, for this vector.
pub(super) type Write = unsafe fn(&[*const u8; MAX_STEP_PEERS], *mut u8);

pub(super) fn no_stream(_: usize, _: &[*const u8; MAX_STEP_PEERS], _: *mut u8) {}
