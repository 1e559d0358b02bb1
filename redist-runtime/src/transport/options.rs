//! The user's options for the way of elements from rank to rank.

use core::fmt;

/// The requested way of elements from rank to rank in a move that all ranks
/// [`run`](crate::exec::Bound::run), set by [`Binder::route`](crate::exec::Binder::route). The same
/// on all ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Route {
    /// The way that is expected to be fastest.
    #[default]
    Automatic,
    /// Chunks of arrays as they are, in memory that the ranks share: for MPI processes of one node.
    Chunks,
    /// Packed messages.
    Messages,
}

impl Route {
    /// All routes.
    #[doc(hidden)]
    pub const ALL: [Self; 3] = [Self::Automatic, Self::Chunks, Self::Messages];
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Route::Automatic => "automatic",
            Route::Chunks => "chunks",
            Route::Messages => "whole messages",
        })
    }
}

/// The way of elements from rank to rank in a move of a bound plan that all ranks
/// [`run`](crate::exec::Bound::run). If some only [`start`](crate::exec::Bound::start) it, packed
/// messages go, whatever the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Way {
    /// Ranks share their arrays, and copy from array to array. There are no messages.
    Lent,
    /// Every rank publishes its source array in chunks that stay in a cache, in a window of shared
    /// memory, and each copies its part from there. Schedules play no part.
    Chunks,
    /// Every rank packs its messages into slots of that window, and each unpacks its own from there:
    /// for small arrays with short runs. Schedules play no part. Ranks of one node agree on slots or
    /// chunks; other nodes may take the other way.
    Slots,
    /// Every message is packed, sent, and unpacked. Over MPI, long messages are cut into segments,
    /// each unpacked as it arrives. Without a schedule, one segment travels while the next is
    /// packed. With one, a rank sends its messages in that order, one at a time. Short messages of
    /// the ranks of a node to a rank of another node travel together.
    Messages,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Way::Lent => "lent arrays",
            Way::Chunks => "chunks in shared memory",
            Way::Slots => "messages in slots of shared memory",
            Way::Messages => "packed messages",
        })
    }
}

/// Bytes of a segment on the same node: so long that a copy costs much more than its request.
#[cfg(feature = "mpi")]
pub const NEAR_SEGMENT_BYTES: usize = 1 << 20;

/// Options that all ranks must bring alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub route: Route,
    /// Bytes of the longest segment of a message, if the caller sets it.
    pub max_message_bytes: Option<usize>,
    /// Most bytes of messages of one rank; the largest number if unbounded.
    pub max_bytes: usize,
    /// Plans that share a duplicate of a communicator, unless the library has a lower limit.
    pub max_tags: usize,
    /// All ranks learn of a fault on any rank.
    pub collectively: bool,
}

impl Options {
    /// Returns the most bytes that messages of a rank may take, if the user bounds them.
    pub fn bound(&self) -> Option<usize> {
        (self.max_bytes < usize::MAX).then_some(self.max_bytes)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            route: Route::Automatic,
            max_message_bytes: None,
            max_bytes: usize::MAX,
            max_tags: usize::MAX,
            collectively: false,
        }
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { route, max_message_bytes, max_bytes, max_tags, collectively } = self;
        match max_message_bytes {
            Some(bytes) => write!(f, "{route} (segments of messages of at most {bytes} bytes")?,
            None => write!(f, "{route} (segments of messages as long as is usual")?,
        }
        if *max_bytes < usize::MAX {
            write!(f, ", all messages of a rank in {max_bytes} bytes")?;
        }
        if *max_tags < usize::MAX {
            write!(f, ", {max_tags} plans a communicator")?;
        }
        f.write_str(if *collectively { ", collectively)" } else { ")" })
    }
}
