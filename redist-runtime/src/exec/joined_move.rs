//! A move whose messages go joined between nodes.

use super::calls::Counter;
use super::prepared::Prepared;
use super::recycle::recycle;
use crate::error::Error;
use crate::transport::Joins;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What a move is made with: the lists are kept for their memory only.
pub(super) struct JoinedMove<'a> {
    pub prepared: &'a Prepared,
    pub counter: &'a mut Counter,
    pub outgoing: &'a mut Vec<&'static mut [u8]>,
    pub incoming: &'a mut Vec<&'static [u8]>,
}

impl JoinedMove<'_> {
    /// Packs, has all exchanged, and unpacks. False where some rank only begins the move, so that
    /// nothing is unpacked yet: messages go by themselves.
    pub fn run(
        self,
        joined: &mut dyn Joins,
        source: &[u8],
        destination: &mut [u8],
    ) -> Result<bool, Error> {
        let Self { prepared, counter, outgoing, incoming } = self;
        let mut rooms: Vec<&mut [u8]> = recycle(mem::take(outgoing));
        let done = match joined.rooms(&mut rooms) {
            true => catch_unwind(AssertUnwindSafe(|| {
                counter.count(|calls| &mut calls.packed, None);
                counter.bytes += prepared.packing().pack(source, &mut rooms);
            })),
            false => Ok(()),
        };
        *outgoing = recycle(rooms);
        if let Err(panic) = done {
            // The others wait for what is not packed.
            joined.leave();
            resume_unwind(panic);
        }
        if !joined.exchange()? {
            return Ok(false);
        }
        let mut messages: Vec<&[u8]> = recycle(mem::take(incoming));
        joined.messages(&mut messages);
        counter.count(|calls| &mut calls.unpacked, None);
        counter.bytes += prepared.unpacking().unpack(destination, &mut messages);
        *incoming = recycle(messages);
        Ok(true)
    }
}
