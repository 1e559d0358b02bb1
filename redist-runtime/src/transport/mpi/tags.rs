//! What the channels of a context are told apart by.

use super::communicator::OwnCommunicator;
use crate::error::Error;
use std::ffi::c_int;
use std::ops::Deref;
use std::sync::Arc;

/// What channels are told apart by: no two share both communicator and tag, so that none gets
/// another's messages.
#[derive(Debug)]
pub(super) struct Tags {
    communicator: Arc<OwnCommunicator>,
    next: c_int,
    last: c_int,
    /// Channels opened before on all communicators of the context.
    channels: u64,
}

impl Tags {
    pub fn of(communicator: Arc<OwnCommunicator>) -> Result<Self, Error> {
        // Less than the largest number, which there would be no next one after.
        let last = communicator.largest_tag()?.min(c_int::MAX - 1);
        Ok(Self { communicator, next: 1, last, channels: 0 })
    }

    /// The communicator of the next channel, with a tag of its own up to `max_tags`. Collective: all
    /// ranks count alike.
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

/// A channel's communicator.
#[derive(Debug)]
pub(super) struct TaggedCommunicator {
    communicator: Arc<OwnCommunicator>,
    /// That of all its messages, and of no others on this communicator.
    pub tag: c_int,
    /// No other channel of the context has it.
    pub number: u64,
}

impl TaggedCommunicator {
    /// As it is shared with other channels.
    pub fn own(&self) -> Arc<OwnCommunicator> {
        Arc::clone(&self.communicator)
    }
}

impl Deref for TaggedCommunicator {
    type Target = OwnCommunicator;

    fn deref(&self) -> &OwnCommunicator {
        &self.communicator
    }
}
