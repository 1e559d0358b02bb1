//! What the user may say of how elements get from rank to rank.

use core::fmt;

/// How elements are to get from rank to rank where all ranks [`run`](crate::exec::Bound::run) a
/// move: what a user asks for by [`Binder::route`](crate::exec::Binder::route). The same on all
/// ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Route {
    /// The way that is expected to be fastest.
    #[default]
    Automatic,
    /// As [`Way::Chunks`], of arrays as they are: where all ranks are MPI processes of one node.
    Staged,
    /// As [`Way::Messages`].
    Messages,
    /// As [`Way::Joined`]: where MPI processes are on several nodes.
    Joined,
}

impl Route {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Automatic, Self::Staged, Self::Messages, Self::Joined];
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Route::Automatic => "automatic",
            Route::Staged => "staged",
            Route::Messages => "whole messages",
            Route::Joined => "joined messages",
        })
    }
}

/// How elements get from rank to rank where all ranks [`run`](crate::exec::Bound::run) a move of a
/// plan that is bound. Where some only [`start`](crate::exec::Bound::start) it, packed messages go,
/// whatever the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Way {
    /// Ranks lend each other their arrays, and copy from array to array. There are no messages.
    Lent,
    /// Every rank shows its source array to the others in chunks that stay in a cache, in a window
    /// of shared memory, and each copies its part from there; or, where arrays are small and runs short,
    /// packs its messages there, and each unpacks its own. Schedules play no part.
    Chunks,
    /// Every message is packed, sent, and unpacked. Over MPI, long messages are cut into pieces, each of
    /// which is unpacked as it arrives. Without a schedule, one piece travels while the next is
    /// packed; with one, a rank sends its messages in that order, one at a time.
    Messages,
    /// Every message is packed into memory that the ranks of a node share. Ranks of the node unpack
    /// from there; what all of them send to a rank of another node travels together, with what that
    /// rank is told of the move in any case. Schedules play no part.
    Joined,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Way::Lent => "lent arrays",
            Way::Chunks => "chunks in shared memory",
            Way::Messages => "packed messages",
            Way::Joined => "joined messages",
        })
    }
}

/// Bytes of a piece that goes through shared memory: long enough that a copy costs much more than
/// its request.
#[cfg(feature = "mpi")]
pub const NEAR_PIECE_BYTES: usize = 1 << 20;

/// What all ranks have to bring alike, beside the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub route: Route,
    /// Bytes of the longest piece of a message, where the caller says it.
    pub max_message_bytes: Option<usize>,
    /// Bytes of one rank that messages may take; as many as there can be where they are not bounded.
    pub max_bytes: usize,
    /// Plans that share a duplicate of a communicator, where the library does not set a lower
    /// limit.
    pub max_tags: usize,
}

impl Options {
    /// The most bytes that messages of a rank may take, where the user bounds them.
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
        }
    }
}

/// What two ranks tell each other where their options differ.
impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { route, max_message_bytes, max_bytes, max_tags } = self;
        match max_message_bytes {
            Some(bytes) => write!(f, "{route} (pieces of messages of at most {bytes} bytes")?,
            None => write!(f, "{route} (pieces of messages as long as is usual")?,
        }
        if *max_bytes < usize::MAX {
            write!(f, ", all messages of a rank in {max_bytes} bytes")?;
        }
        match *max_tags {
            usize::MAX => f.write_str(")"),
            tags => write!(f, ", {tags} plans a communicator)"),
        }
    }
}
