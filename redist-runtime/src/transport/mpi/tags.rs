//! Communicators and tags that distinguish the channels of a context.

use super::communicator::OwnCommunicator;
use super::early::Early;
use crate::error::Error;
use crate::transport::board::{call_of, is_first};
use std::ffi::c_int;
use std::ops::Deref;
use std::sync::Arc;

/// The source of tags: no two channels share both communicator and tag.
#[derive(Debug)]
pub(super) struct Tags {
    communicator: Arc<OwnCommunicator>,
    next: c_int,
    last: c_int,
    /// Channels opened so far on all communicators of the context.
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
        let communicator = Arc::clone(&self.communicator);
        Ok(TaggedCommunicator { communicator, tag, number, early: Arc::default() })
    }
}

/// Successive calls whose messages have different tags. Later ones have the same again: a head tells
/// the number of the move whole (`Head::number`), so that no message is taken for another move's.
const MOVES: u64 = 64;

/// Sorts of a channel's messages, each with tags for as many moves. Ranks may have no part in a
/// call's first move, and all take part in its later ones. Refusals come in place of any message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    First,
    Parcel,
    Later,
    Refusal,
}

/// Tags of a channel.
const TAGS: c_int = 4 * MOVES as c_int;

/// A channel's communicator, with its tags.
#[derive(Clone, Debug)]
pub(super) struct TaggedCommunicator {
    communicator: Arc<OwnCommunicator>,
    /// The number of its tags, which no other channel has on this communicator.
    tag: c_int,
    /// Unique among the context's channels.
    pub number: u64,
    /// Messages that have come before their move.
    pub early: Arc<Early>,
}

/// Pieces of a plan's messages that a sender may be ahead of a receiver on another node. Behind so
/// many, the sender waits until the receiver takes the message. Counted by the moves of the
/// plan, because other calls come in any number between them.
pub(super) const AHEAD: u64 = 64;

/// Bytes of a piece. The library of a receiver keeps the bytes that a sender is ahead. Few short
/// messages are awaited, because the sender of one loses half of a short move's time.
const PIECE_BYTES: usize = 15 << 10;

/// Returns the pieces that a message of so many bytes, in so many segments, is counted for.
pub(super) fn pieces(bytes: usize, segments: usize) -> u64 {
    bytes.div_ceil(PIECE_BYTES).max(segments).max(1) as u64
}

/// Returns `true` if a sender waits for receivers on other nodes in a move with messages of so many
/// `pieces`, and `before` in its earlier moves by the plan.
pub(super) fn is_awaited(before: u64, pieces: u64) -> bool {
    before.saturating_add(pieces) / AHEAD > before / AHEAD
}

impl TaggedCommunicator {
    fn of(&self, sort: Sort, slot: u64) -> c_int {
        self.tag * TAGS + sort as c_int * MOVES as c_int + (slot % MOVES) as c_int
    }

    /// Returns the tag of the messages of the move with a number ([`Progress::number`]).
    ///
    /// [`Progress::number`]: crate::transport::board::Progress::number
    pub fn tag(&self, number: u64) -> c_int {
        let (call, place) = call_of(number);
        match is_first(number) {
            true => self.of(Sort::First, call),
            false => self.of(Sort::Later, call.wrapping_add(place)),
        }
    }

    pub fn parcel_tag(&self, number: u64) -> c_int {
        self.of(Sort::Parcel, call_of(number).0)
    }

    pub fn refusal_tag(&self) -> c_int {
        self.of(Sort::Refusal, 0)
    }

    /// Returns the tags that messages of calls have which this rank may have no part in: of
    /// messages outside of parcels, and of parcels. Tags of a call come first.
    pub fn of_calls(&self, call: u64) -> impl Iterator<Item = (c_int, c_int)> {
        (0..MOVES).map(move |later| {
            let slot = call.wrapping_add(later);
            (self.of(Sort::First, slot), self.of(Sort::Parcel, slot))
        })
    }
}

impl Deref for TaggedCommunicator {
    type Target = OwnCommunicator;

    fn deref(&self) -> &OwnCommunicator {
        &self.communicator
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_waits_before_it_is_far_ahead() {
        for pieces in [1, 3, 15, 16, 40, 63, 64, 65, 200] {
            let (mut before, mut ahead) = (0, 0);
            for _ in 0..400 {
                ahead = if is_awaited(before, pieces) { 0 } else { ahead + pieces };
                assert!(ahead < AHEAD, "{ahead} pieces");
                before += pieces;
            }
        }
        assert_eq!((0..128).filter(|before| is_awaited(*before, 1)).count(), 2, "of short ones");
    }

    #[test]
    fn long_messages_and_many_segments_are_awaited_oftener() {
        let segment = 60 << 10;
        assert_eq!([(1, 1), (segment, 1), (3 * segment, 3)].map(|(b, s)| pieces(b, s)), [1, 4, 12]);
        assert_eq!(pieces(100, 100), 100, "of one byte each");
        assert!(is_awaited(0, pieces(usize::MAX, 1)));
    }
}
