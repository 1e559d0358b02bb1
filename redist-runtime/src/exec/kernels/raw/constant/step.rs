//! A step as a type, and the functions that write its streams.

use super::fit::Units;
#[cfg(target_arch = "x86_64")]
use super::fit::unit;
use super::table::VectorTable;
use crate::program::{MAX_STEP_PEERS, StepMoves};
#[cfg(target_arch = "x86_64")]
use redist_plan::arithmetic::min;

/// Bytes of runs from which shorter vectors need so few inputs that longer ones gain nothing.
#[cfg(target_arch = "x86_64")]
const MIN_SHORT_UNIT_BYTES: usize = 8;

/// A step as a type, so that the compiler knows its tables.
pub(in crate::exec) trait CompiledStep {
    /// What is moved, where code gains anything.
    const MOVES: Option<StepMoves>;
    /// Bytes of an element.
    const WIDTH: usize;
    /// Whether the code is taken also where it gains nothing.
    const ALWAYS: bool = false;
    /// Its vectors of 16 bytes.
    #[allow(private_interfaces)] // Used here alone.
    const SHORT: &'static VectorTable = &table::<Self>(Units::SHORT);
    /// Its vectors of 64 bytes.
    #[cfg(target_arch = "x86_64")]
    #[allow(private_interfaces)] // Used here alone.
    const LONG: &'static VectorTable = match Self::SHORT {
        short if short.times > 0 && short.unit >= MIN_SHORT_UNIT_BYTES => &VectorTable::NONE,
        _ => &table::<Self>(Units::lanes(lane_bytes::<Self>())),
    };
}

/// Bytes of lanes that runs are multiples of.
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

/// Writes one stream of a number of steps, given where they begin in each stream that is read, and
/// in this one.
///
/// # Safety
/// In each step, what the table reads of each stream from its pointer on may be read, what it writes
/// of this stream may be written, and they do not overlap. The processor has the kernel's
/// instructions.
pub(super) type WriteStream = unsafe fn(usize, &[*const u8; MAX_STEP_PEERS], *mut u8);

/// Writes a vector, or a pair, of a step.
///
/// # Safety
/// As [`WriteStream`], for this vector.
pub(super) type Write = unsafe fn([*const u8; MAX_STEP_PEERS], *mut u8);

/// Stands for a stream that there is none of; not called.
pub(super) fn no_stream(_: usize, _: &[*const u8; MAX_STEP_PEERS], _: *mut u8) {}
