//! Sending messages while they are packed.
//!
//! Unsafe, since MPI reads what is packed while the rest is written.

use super::pieces::MessagePiece;
use super::tags::TaggedCommunicator;
use crate::error::Error;
use redist_mpi::Request;
use std::ops::Range;

/// The outgoing messages of a move without steps, while they are packed: pieces go as soon as they
/// are whole.
pub struct Posting<'a> {
    pub(super) communicator: &'a TaggedCommunicator,
    /// The beginning of the buffer.
    pub(super) bytes: *const u8,
    /// Each message's bytes in the buffer.
    pub(super) messages: &'a [Range<usize>],
    pub(super) pieces: &'a [MessagePiece],
    /// The pieces of each message.
    pub(super) pieces_of: &'a [Range<usize>],
    /// For each piece.
    pub(super) requests: &'a mut [Request],
    /// For each message, the pieces that have been sent.
    pub(super) posted: &'a mut [usize],
    /// Pieces that are under way.
    pub(super) under_way: &'a mut usize,
}

impl Posting<'_> {
    /// Sends the pieces of a message of which its first `bytes` are packed, unless they have been
    /// sent.
    ///
    /// # Safety
    /// What is packed is not written to until the move has ended.
    pub unsafe fn packed(&mut self, message: usize, bytes: usize) -> Result<(), Error> {
        let end = self.messages[message].start + bytes;
        while let Some(number) = self.pieces_of[message].clone().nth(self.posted[message])
            && self.pieces[number].start + self.pieces[number].len <= end
        {
            let MessagePiece { start, len, rank, .. } = self.pieces[number];
            let tag = self.communicator.tag;
            // SAFETY: pieces lie in the buffer (`Pieces::new` cuts it), which is there
            // (`Mail::begin_packing`). It is neither moved nor freed until all requests are complete,
            // for which a move waits before it ends, and so does the channel's `drop`, or else it
            // gives the buffer up (`give_up`); the caller does not write to the piece until then.
            self.requests[number] =
                unsafe { self.communicator.begin_send(self.bytes.add(start), len, rank, tag) }?;
            self.posted[message] += 1;
            *self.under_way += 1;
        }
        Ok(())
    }
}
