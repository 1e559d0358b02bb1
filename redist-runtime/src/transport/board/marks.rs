//! A rank's progress in the moves of one plan, which its partners read.

use super::calls::ShownCall;
use crate::cache::LINE_BYTES;
use crate::transport::sync::IS_MODELLED;
use crate::transport::sync::atomic::AtomicU64;
use core::mem::offset_of;

/// A rank's progress. Marks of a move's beginning are in one cache line, later ones in the next,
/// because a line that others poll while it is written is slow.
#[derive(Debug, Default)]
#[repr(C, align(128))]
pub struct MoveProgress<A> {
    pub call: ShownCall,
    pub arrays: A,
    /// The last move that it only began, so that it cannot share its source array.
    pub packs: AtomicU64,
    pub refuses: AtomicU64,
    /// Counted before anything is packed or copied, when source arrays are shared.
    pub arrived: AtomicU64,
    pub packed: AtomicU64,
    /// The last move in which it kept its destination to itself.
    pub keeps: AtomicU64,
    /// The move in which it panicked while it copied between shared arrays.
    pub failed: AtomicU64,
    pub unpacked: AtomicU64,
}

const _: () =
    assert!(IS_MODELLED || offset_of!(MoveProgress<[usize; 4]>, packed) <= LINE_BYTES, "two lines");
