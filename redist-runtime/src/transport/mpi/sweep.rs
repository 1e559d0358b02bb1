//! Messages of calls that a rank has no part in: they are received and dropped, so that they do not
//! fill the library. Messages of later moves are kept.

use super::early::EarlyMessage;
use super::tags::TaggedCommunicator;
use crate::error::Error;
use crate::transport::board::call_of;
use crate::transport::wire::Head;
use std::ffi::c_int;

impl TaggedCommunicator {
    /// Receives the messages of calls that this rank has no part in, if a rank's message of such a
    /// `call` has come; returns `true` then. `last` is this rank's last call.
    pub fn sweep(&self, from: usize, call: u64, last: u64) -> Result<bool, Error> {
        let mut is_there = false;
        for (tag, parcel_tag) in self.of_calls(call) {
            if !self.early.is_received(tag) {
                while let Some(found) = self.next_message_of(Some(from), tag)? {
                    let bytes = self.receive_whole(found)?;
                    is_there |= self.settle_message(from, tag, bytes, last)? == Some(call);
                }
            }
            while let Some(found) = self.next_message_of(Some(from), parcel_tag)? {
                let bytes = self.receive_whole(found)?;
                is_there |= self.settle((from, true), bytes, last) == Some(call);
            }
            if !is_there {
                break;
            }
        }
        while let Some(found) = self.next_message_of(Some(from), self.refusal_tag())? {
            let bytes = self.receive_whole(found)?;
            is_there |= self.settle_refusal(from, &bytes, last) == Some(call);
        }
        self.early.forget_before(last);
        Ok(is_there)
    }

    /// Receives the rest of a message. Its sender sends all of it at once.
    fn settle_message(
        &self,
        from: usize,
        tag: c_int,
        mut bytes: Vec<u8>,
        last: u64,
    ) -> Result<Option<u64>, Error> {
        let segments = Head::read(&bytes).map_or(1, |head| head.segments);
        for _ in 1..segments {
            let found = loop {
                if let Some(found) = self.next_message_of(Some(from), tag)? {
                    break found;
                }
            };
            bytes.extend(self.receive_whole(found)?);
        }
        Ok(self.settle((from, false), bytes, last))
    }

    /// Keeps a whole message unless its call is before this rank's last one; returns the call.
    fn settle(&self, (from, is_parcel): (usize, bool), bytes: Vec<u8>, last: u64) -> Option<u64> {
        let head = Head::read(&bytes).ok()?;
        let (call, _) = call_of(head.number);
        if call >= last {
            self.early.keep(EarlyMessage { from, head, bytes, is_parcel });
        }
        Some(call)
    }

    /// Keeps the head of a refused message unless its call is before this rank's last one; returns the
    /// call.
    fn settle_refusal(&self, from: usize, bytes: &[u8], last: u64) -> Option<u64> {
        let head = Head::read(bytes).ok()?;
        let (call, _) = call_of(head.number);
        if call >= last {
            let message = EarlyMessage { from, head, bytes: Vec::new(), is_parcel: false };
            self.early.keep(message);
        }
        Some(call)
    }
}
