//! The incoming messages of a move, which are read while they arrive. Unsafe, because MPI still
//! writes to bytes that have not arrived.

use super::near::NodeEnd;
use super::transfers::Transfers;
use crate::error::Error;
use std::slice;

/// The incoming messages of a move, as they arrive.
pub struct Inbox<'a> {
    transfers: &'a mut Transfers,
    near: &'a NodeEnd,
    /// The beginnings of the buffers of incoming and outgoing messages.
    bytes: [*const u8; 2],
}

impl<'a> Inbox<'a> {
    pub(super) fn new(transfers: &'a mut Transfers, near: &'a NodeEnd) -> Self {
        let bytes = [transfers.incoming.buffer.as_ptr(), transfers.outgoing.buffer.as_ptr()];
        Self { transfers, near, bytes }
    }

    /// Waits for `bytes` of a message or more, and returns its arrived prefix. Fails if the named
    /// rank never sends so much, and panics if the message is shorter.
    pub fn up_to(&mut self, message: usize, bytes: usize) -> Result<&'a [u8], Error> {
        let (buffer, range) = match self.transfers.own {
            Some((sent, received)) if received == message => {
                (self.bytes[1], self.transfers.outgoing.range(sent))
            }
            _ => (self.bytes[0], self.transfers.arrived(self.near, message, bytes)?),
        };
        assert!(range.len() >= bytes, "more than a message has");
        // SAFETY: the range is one of a message, or of its beginning, in the buffer, which is there
        // and initialised (`Transfers::restart`), and which this borrows. For incoming messages it
        // covers segments that have arrived (`Transfers::arrived`), to which nothing writes before the
        // next move begins. Outgoing ones are only read by now.
        Ok(unsafe { slice::from_raw_parts(buffer.add(range.start), range.len()) })
    }
}
