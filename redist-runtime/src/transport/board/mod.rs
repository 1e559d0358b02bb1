//! Ranks that see one memory, such as threads of a process, and their progress in the moves of a plan.
//! `README.md` beside this file specifies the marks, the states of a partner, and their orderings.

mod calls;
mod progress;

pub use calls::{CollectiveCall, SUBJECTS, ShownCall};
pub use progress::Progress;
#[cfg(feature = "mpi")]
pub use progress::{call_of, is_first};

use crate::cache::LINE_BYTES;
use crate::error::Error;
use crate::transport::sync::IS_MODELLED;
use crate::transport::sync::atomic::AtomicU64;
use core::mem::offset_of;

/// The ranks of one plan in the memory that all of them see, from one of them.
pub trait Board {
    /// A rank's arrays in a move.
    type Arrays;

    /// Buffers of a rank's progress, one or two, which moves use in turn. With two, a rank begins a
    /// move while its receivers are still in the move before.
    const BUFFERS: usize;

    /// Returns the number of all ranks of the plan.
    fn ranks(&self) -> usize;

    /// Returns `true` if a rank is on the board.
    fn is_here(&self, _rank: usize) -> bool {
        true
    }

    fn marks(&self, rank: usize, buffer: usize) -> &MoveMarks<Self::Arrays>;

    /// Notes that this rank begins a move of the plan. Fails if the rank can make no further call.
    fn begin(&self) -> Result<CollectiveCall, Error>;

    /// Returns a rank's last call. The effects of its earlier ones are visible then.
    fn last_call(&self, rank: usize) -> CollectiveCall;

    /// Returns `true` if a rank has ended; all that it has done is visible then.
    fn has_ended(&self, rank: usize) -> bool;

    /// Wakes ranks that wait for this one; to be called after it has changed their condition.
    fn notify(&self);

    /// Returns the looks for another rank before this one offers its core, after it has offered it
    /// `offers` times in this wait.
    fn looks(&self, rank: usize, offers: usize) -> usize;

    /// Waits until `missing` names no rank. Fails if it names a rank that has ended or, in a
    /// `call`, a rank that makes a different call.
    fn wait(
        &self,
        call: Option<CollectiveCall>,
        missing: &mut dyn FnMut() -> Option<usize>,
    ) -> Result<(), Error>;

    /// Stores the reason that this rank is not ready, before it is counted.
    fn refuse(&self, error: &Error);

    /// Notes that this rank fails because of another rank, which may end later than this one does.
    fn tell(&self) {}

    /// Returns the reason of a rank that is not ready, as an error of this rank.
    fn refusal(&self, rank: usize) -> Error;
}

/// A rank's progress. The marks written at the start of a move share one cache line, those written
/// at its end the next: polling a line that is being written is slow.
#[derive(Debug, Default)]
#[repr(C, align(128))]
pub struct MoveMarks<A> {
    /// Call by which the rank has begun the move.
    pub call: ShownCall,
    pub arrays: A,
    /// The last move that it only began, so that it cannot share its source array.
    pub packs: AtomicU64,
    /// The last move that it was not ready for.
    pub refuses: AtomicU64,
    /// Counted before anything is packed or copied, when source arrays are shared.
    pub arrived: AtomicU64,
    /// Counted once messages are packed, and may be read.
    pub packed: AtomicU64,
    /// The last move in which it kept its destination to itself.
    pub keeps: AtomicU64,
    /// The last move that it was not ready for when it began it.
    pub declines: AtomicU64,
    /// The move in which it panicked while it copied between shared arrays.
    pub failed: AtomicU64,
    /// Counted once the rank uses no array or message of other ranks any longer.
    pub unpacked: AtomicU64,
}

const _: () =
    assert!(IS_MODELLED || offset_of!(MoveMarks<[usize; 4]>, packed) <= LINE_BYTES, "two lines");
