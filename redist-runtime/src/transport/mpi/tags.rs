//! Communicators and tags that distinguish the channels of a context.

use super::communicator::OwnCommunicator;
use crate::error::Error;
use std::ffi::c_int;
use std::ops::Deref;
use std::sync::Arc;

/// The source of tags: no two channels share both communicator and tag.
#[derive(Debug)]
pub(super) struct Tags {
    communicator: Arc<OwnCommunicator>,
    next: c_int,
    last: c_int,
    channels: u64,
}

impl Tags {
    pub fn of(communicator: Arc<OwnCommunicator>) -> Result<Self, Error> {
        // One less, so that a next one exists, and the last has a tag for each move.
        let last = communicator.check(communicator.largest_tag())? / TAGS - 1;
        Ok(Self { communicator, next: 1, last, channels: 0 })
    }

    /// Returns the communicator of the next channel, with a tag of its own up to `max_tags`.
    /// Collective: all ranks count alike.
    #[expect(clippy::arc_with_non_send_sync, reason = "as for the context itself")]
    pub fn next(&mut self, max_tags: usize) -> Result<TaggedCommunicator, Error> {
        if self.next as usize > max_tags.min(self.last as usize) {
            let again = Arc::new(self.communicator.again()?);
            *self = Self { channels: self.channels, ..Self::of(again)? };
        }
        let (tag, number) = (self.next, self.channels);
        self.next += 1;
        self.channels += 1;
        Ok(TaggedCommunicator { communicator: Arc::clone(&self.communicator), tag, number })
    }
}

/// Successive moves of a channel whose messages have different tags. No receive takes a message of a
/// move that this rank had no part in, unless ranks are so many moves apart.
const MOVES: c_int = 64;

/// Tags of a channel: those of its messages, and of its parcels.
const TAGS: c_int = 2 * MOVES;

#[derive(Clone, Debug)]
pub(super) struct TaggedCommunicator {
    communicator: Arc<OwnCommunicator>,
    /// The number of its tags, which no other channel has on this communicator.
    tag: c_int,
    /// Unique among the context's channels.
    pub number: u64,
}

/// Moves that a sender may be ahead of receivers on other nodes: in each of so many, it waits until
/// they take its messages.
const AHEAD: u64 = 16;

/// Returns `true` if a sender waits for receivers on other nodes in the move with this number.
pub(super) fn is_awaited(number: u64) -> bool {
    number % AHEAD == AHEAD - 1
}

impl TaggedCommunicator {
    pub fn tag(&self, number: u64) -> c_int {
        self.tag * TAGS + (number % MOVES as u64) as c_int
    }

    pub fn parcel_tag(&self, number: u64) -> c_int {
        self.tag(number) + MOVES
    }
}

impl Deref for TaggedCommunicator {
    type Target = OwnCommunicator;

    fn deref(&self) -> &OwnCommunicator {
        &self.communicator
    }
}
