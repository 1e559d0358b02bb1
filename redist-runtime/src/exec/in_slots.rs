//! Moves whose messages are read where they were packed, by all ranks of a node.

use super::calls::Counter;
use super::combine::UnpackTo;
use super::mover::Mover;
use super::prepared::Prepared;
use super::recycle::recycle;
use super::transfer::Whole;
use crate::error::Error;
use crate::transport::{PackedSlots, SlotRooms, Source};
use std::mem;

/// What packs and unpacks a move's messages on one rank.
pub(super) struct InSlots<'a> {
    pub prepared: &'a mut Prepared,
    pub counter: &'a mut Counter,
    /// Lists kept for their memory.
    pub outgoing: &'a mut Vec<&'static mut [u8]>,
    pub incoming: &'a mut Vec<&'static [u8]>,
}

impl InSlots<'_> {
    fn pack(&mut self, source: &[u8], rooms: SlotRooms<'_>) {
        let mut outgoing: Vec<&mut [u8]> = recycle(mem::take(self.outgoing));
        rooms.add_to(&mut outgoing);
        self.counter.count(|calls| &mut calls.packed);
        self.counter.bytes += self.prepared.packing().pack(source, &mut outgoing);
        *self.outgoing = recycle(outgoing);
    }

    /// Moves everything, when all ranks have met.
    pub fn exchange(
        &mut self,
        slots: PackedSlots<'_>,
        source: &[u8],
        destination: &mut UnpackTo<'_>,
    ) -> Result<(), Error> {
        if let Some(rooms) = slots.0.rooms()? {
            self.pack(source, rooms);
        }
        slots.0.wait_for_all()?;
        let mut messages: Vec<&[u8]> = recycle(mem::take(self.incoming));
        slots.0.add_messages(&mut messages);
        self.counter.count(|calls| &mut calls.rounds);
        self.counter.count(|calls| &mut calls.unpacked);
        let unpacking = self.prepared.unpacking();
        self.counter.bytes += destination.all(unpacking, &mut messages, &mut Whole);
        *self.incoming = recycle(messages);
        slots.0.end_packed();
        Ok(())
    }
}

impl Mover {
    /// Packs what other ranks find in this one's slots, where that can be done before all meet.
    pub(super) fn pack_early(&mut self, source: &Source<'_>) {
        let Self { channel, prepared, counter, outgoing, incoming, .. } = self;
        if let Some(rooms) = channel.rooms_to_show(source) {
            InSlots { prepared, counter, outgoing, incoming }.pack(source.bytes(), rooms);
        }
    }
}
