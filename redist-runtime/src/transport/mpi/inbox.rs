//! Messages that are read while they arrive.
//!
//! Unsafe, since MPI writes to what has not arrived.

use super::mail::Mail;
use super::tags::TaggedCommunicator;
use crate::error::Error;
use std::slice;

/// The incoming messages of a move.
pub struct Inbox<'a> {
    mail: &'a mut Mail,
    communicator: &'a TaggedCommunicator,
    /// The beginning of the buffer of incoming messages, and that of outgoing ones.
    bytes: [*const u8; 2],
}

impl<'a> Inbox<'a> {
    pub(super) fn new(mail: &'a mut Mail, communicator: &'a TaggedCommunicator) -> Self {
        let bytes = [mail.incoming.buffer.as_ptr(), mail.outgoing.buffer.as_ptr()];
        Self { mail, communicator, bytes }
    }

    /// The beginning of a message, as much as has arrived: waits until that is `bytes` or more.
    ///
    /// # Errors
    /// Naming the rank, that so much of it will never arrive.
    ///
    /// # Panics
    /// If the message is shorter than that.
    pub fn up_to(&mut self, message: usize, bytes: usize) -> Result<&'a [u8], Error> {
        let (buffer, range) = match self.mail.own_message(message) {
            Some(own) => (self.bytes[1], self.mail.outgoing.range(own)),
            None => (self.bytes[0], self.mail.arrived(self.communicator, message, bytes)?),
        };
        assert!(range.len() >= bytes, "more than a message has");
        // SAFETY: the range is one of a message, or of its beginning, in the buffer, which is there
        // and initialised (`Mail::restart`), and which this borrows. Of incoming messages it covers
        // pieces that have arrived (`Mail::arrived`), to which nothing writes before the next move
        // begins; outgoing ones are only read by now.
        Ok(unsafe { slice::from_raw_parts(buffer.add(range.start), range.len()) })
    }
}
