//! What the channels of a context are told apart by.

use super::communicator::OwnCommunicator;
use super::context::Context;
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
    pub fn of(communicator: Arc<OwnCommunicator>, channels: u64) -> Result<Self, Error> {
        // Less than the largest number, which there would be no next one after.
        let last = communicator.largest_tag()?.min(c_int::MAX - 1);
        Ok(Self { communicator, next: 1, last, channels })
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
    /// What it shares with other channels.
    pub context: Arc<Context>,
}

impl TaggedCommunicator {
    /// The next one of a context, whose `tags` these are, with a tag of its own up to `max_tags`.
    /// Collective: all ranks count alike.
    #[expect(clippy::arc_with_non_send_sync, reason = "as for the context itself")]
    pub fn next(context: &Arc<Context>, tags: &mut Tags, max_tags: usize) -> Result<Self, Error> {
        if tags.next as usize > max_tags.min(tags.last as usize) {
            let again = Arc::new(context.communicator().again()?);
            *tags = Tags::of(again, tags.channels)?;
        }
        let (tag, number) = (tags.next, tags.channels);
        tags.next += 1;
        tags.channels += 1;
        let (communicator, context) = (Arc::clone(&tags.communicator), Arc::clone(context));
        Ok(Self { communicator, tag, number, context })
    }

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
