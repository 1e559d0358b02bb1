use super::copied_step::CopiedStep;
use super::fit::Units;
use super::shares::Shares;
use super::table::VectorTable;
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
pub(in crate::exec) trait CompiledStep {
    /// Moves of the step, if code gains anything.
    const MOVES: &'static Option<StepMoves>;
    const WIDTH: usize;
    const ALWAYS: bool = false;
    #[allow(private_interfaces)] // Used here alone.
    const COPIES: &'static CopiedStep = &CopiedStep::new(Self::MOVES, Self::WIDTH);
    #[allow(private_interfaces)] // Used here alone.
    const SHORT: &'static VectorTable = match Self::MOVES {
        Some(moves) if moves.unit(Self::WIDTH) < MIN_STATEMENT_BYTES => {
            &table::<Self>(Units::SHORT)
        }
        _ => VectorTable::NOTHING,
    };
    #[allow(private_interfaces)] // Used here alone.
    const SHORT_SHARES: &'static Shares = &{ Self::SHORT.shares };
    #[cfg(target_arch = "x86_64")]
    #[allow(private_interfaces)] // Used here alone.
    const LONG: &'static VectorTable = match Self::MOVES {
        Some(moves) if moves.unit(Self::WIDTH) < MIN_STATEMENT_BYTES => {
            &table::<Self>(Units::lanes(min(moves.unit(Self::WIDTH), 4)))
        }
        _ => VectorTable::NOTHING,
    };
    #[cfg(target_arch = "x86_64")]
    #[allow(private_interfaces)] // Used here alone.
    const LONG_SHARES: &'static Shares = &{ Self::LONG.shares };
}

const fn table<S: CompiledStep + ?Sized>(units: Units) -> VectorTable {
    match S::MOVES {
        Some(moves) => match VectorTable::new(moves, S::WIDTH, units) {
            Some(table) => table,
            None => VectorTable::NONE,
        },
        None => VectorTable::NONE,
    }
}

/// Writes one stream of several steps, from their start on.
///
/// # Safety
/// In each step, the table's bytes of each stream may be read from the pointers on. Those of this
/// stream may be written, and they do not overlap. The processor has the kernel's instructions.
pub(super) type WriteStream = unsafe fn(usize, &[*const u8; MAX_STEP_PEERS], *mut u8);

/// Writes a vector, or a pair, of a step.
///
/// # Safety
/// As [`WriteStream`], for this vector.
pub(super) type Write = unsafe fn(&[*const u8; MAX_STEP_PEERS], *mut u8);

pub(super) fn no_stream(_: usize, _: &[*const u8; MAX_STEP_PEERS], _: *mut u8) {}
