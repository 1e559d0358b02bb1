//! The outgoing messages of a move while they are packed. Unsafe, because MPI reads packed bytes
//! while the rest is written.

use super::segments::CutMessage;
use super::transfers::Transfers;
use crate::error::Error;
use std::ops::Range;
use std::slice;

/// The outgoing messages of a move without steps, while they are packed: whole segments go at once.
pub struct Posting<'a> {
    transfers: &'a mut Transfers,
    /// First byte of the outgoing buffer.
    bytes: *const u8,
}

impl<'a> Posting<'a> {
    /// Returns memory to pack into; messages go while they are packed, unless they go in turn.
    pub(super) fn begin(transfers: &'a mut Transfers) -> (&'a mut [u8], Option<Self>) {
        let (bytes, len) =
            (transfers.outgoing.buffer.as_mut_ptr(), transfers.outgoing.buffer.len());
        let posting = (!transfers.in_turn).then_some(Self { transfers, bytes });
        // SAFETY: it is the buffer, which is borrowed exclusively as long as this is. The second
        // holder of the slice's pointer (`Posting`) gives the packed bytes only to MPI, to read,
        // and does not read the buffer.
        (unsafe { slice::from_raw_parts_mut(bytes, len) }, posting)
    }

    /// Sends the unsent segments of these messages, of which so many bytes are packed. Messages to
    /// the ranks behind this one go first. Otherwise all ranks would send to the first rank at once.
    ///
    /// # Safety
    /// Packed bytes are not written to until the move has ended.
    pub unsafe fn packed(
        &mut self,
        messages: Range<usize>,
        bytes: impl Fn(usize) -> usize,
    ) -> Result<(), Error> {
        let here = self.transfers.communicator.rank();
        for is_behind in [true, false] {
            for message in messages.clone() {
                if (self.transfers.outgoing.messages[message].rank > here) == is_behind {
                    // SAFETY: these bytes are packed, and the caller writes to none of them before
                    // the move has ended.
                    unsafe { self.packed_of(message, bytes(message)) }?;
                }
            }
        }
        Ok(())
    }

    /// Sends the unsent segments in the first `bytes` of a message, which are packed.
    ///
    /// # Safety
    /// As for [`packed`](Self::packed).
    unsafe fn packed_of(&mut self, message: usize, bytes: usize) -> Result<(), Error> {
        let Self { transfers, bytes: buffer } = self;
        let CutMessage { goes: true, bytes: range, .. } = &transfers.outgoing.messages[message]
        else {
            return Ok(());
        };
        let end = range.start + bytes;
        while let Some(number) =
            transfers.outgoing.segments_of(message).nth(transfers.outgoing.messages[message].front)
            && transfers.outgoing.segment(message, number).end() <= end
        {
            // SAFETY: the segment is among the packed bytes, which the caller does not write to.
            unsafe { transfers.send_segment((*buffer, message, number), usize::MAX) }?;
            transfers.outgoing.messages[message].front += 1;
        }
        Ok(())
    }
}
