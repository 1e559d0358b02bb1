//! A step as a type, and the functions that write its streams.

use super::fit::Units;
#[cfg(target_arch = "x86_64")]
use super::fit::unit;
use super::table::VectorTable;
use crate::program::{MAX_STEP_PEERS, StepMoves};
#[cfg(target_arch = "x86_64")]
use redist_plan::arithmetic::min;

/// Run bytes from which short vectors need so few inputs that long ones gain nothing.
#[cfg(target_arch = "x86_64")]
const MIN_SHORT_UNIT_BYTES: usize = 8;

/// A step as a type, to make its tables constants.
pub(in crate::exec) trait CompiledStep {
    /// Moves of the step, if code gains anything.
    const MOVES: Option<StepMoves>;
    const WIDTH: usize;
    /// `true` to use the code even without gain.
    const ALWAYS: bool = false;
    #[allow(private_interfaces)] // Used here alone.
    const SHORT: &'static VectorTable = &table::<Self>(Units::SHORT);
    #[cfg(target_arch = "x86_64")]
    #[allow(private_interfaces)] // Used here alone.
    const LONG: &'static VectorTable = match Self::SHORT {
        short if short.times > 0 && short.unit >= MIN_SHORT_UNIT_BYTES => &VectorTable::NONE,
        _ => &table::<Self>(Units::lanes(lane_bytes::<Self>())),
    };
}

/// Returns the bytes of lanes that divide all runs.
#[cfg(target_arch = "x86_64")]
const fn lane_bytes<S: CompiledStep + ?Sized>() -> usize {
    match &S::MOVES {
        Some(moves) => min(unit(moves, S::WIDTH), 4),
        None => 4,
    }
}

const fn table<S: CompiledStep + ?Sized>(units: Units) -> VectorTable {
    match &S::MOVES {
        Some(moves) => match VectorTable::new(moves, S::WIDTH, units) {
            Some(table) => table,
            None => VectorTable::NONE,
        },
        None => VectorTable::NONE,
    }
}

/// Writes one stream of several steps, from the steps' start in each stream read and in this one.
///
/// # Safety
/// In each step, the table's bytes of each stream may be read and those of this stream written,
/// from the pointers on, and they do not overlap. The processor has the kernel's instructions.
pub(super) type WriteStream = unsafe fn(usize, &[*const u8; MAX_STEP_PEERS], *mut u8);

/// Writes a vector, or a pair, of a step.
///
/// # Safety
/// As [`WriteStream`], for this vector.
pub(super) type Write = unsafe fn([*const u8; MAX_STEP_PEERS], *mut u8);

/// Fills the place of a missing stream; not called.
pub(super) fn no_stream(_: usize, _: &[*const u8; MAX_STEP_PEERS], _: *mut u8) {}
