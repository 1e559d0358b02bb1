//! Messages between the ranks of a node, packed into the slots of chunks. Unsafe, because other
//! processes read packed messages.

use super::context::Context;
use super::joined::{OrderedPlaces, Outgoing};
use super::way::MAX_PAIRS;
use crate::error::Error;
use crate::transport::joined::{JoinedLayout, Place};
use crate::transport::slots::{Slots, Span};
use crate::transport::{Joining, Messages};

#[derive(Debug)]
pub(super) struct SlotMessages {
    layout: JoinedLayout,
    pub count: u64,
    /// This rank, which is also its place in the node.
    here: usize,
    places: OrderedPlaces,
}

pub struct SlotRooms<'a>(&'a Slots, Span, &'a SlotMessages);

impl<'a> SlotRooms<'a> {
    /// Memory for this rank's messages.
    ///
    /// # Safety
    /// As for [`Slots::room`], for all messages of this rank. There is one such value in a move.
    pub(super) unsafe fn new(slots: &'a Slots, span: Span, messages: &'a SlotMessages) -> Self {
        Self(slots, span, messages)
    }

    pub fn add_to(self, rooms: &mut Vec<&'a mut [u8]>) {
        let SlotRooms(slots, span, SlotMessages { places, .. }) = self;
        rooms.extend(places.outgoing.iter().map(|place| {
            let Outgoing::Part(bytes) = place else { unreachable!("all ranks are on one node") };
            // SAFETY: these are this rank's messages, each named once, and disjoint
            // (`JoinedLayout`). This value is used up, and the only one, as its maker has promised.
            // It borrows the channel, which publishes.
            unsafe { slots.room(span, bytes.clone()) }
        }));
    }
}

impl SlotMessages {
    /// Returns the slots of a plan whose messages are better packed, if they fit: alike on all
    /// ranks.
    pub fn new(
        context: &Context,
        slots: &Slots,
        joining: Joining<'_>,
    ) -> Result<Option<Self>, Error> {
        let (ranks, here) = (context.communicator().size(), context.communicator().rank());
        if !joining.pack || ranks.saturating_mul(ranks) > MAX_PAIRS {
            return Ok(None);
        }
        let layout = JoinedLayout::new(context.nodes()?, here, joining.bytes, usize::MAX);
        let most = layout.lens.iter().copied().max().unwrap_or(0);
        let (count, places) = (slots.slots_for(most), OrderedPlaces::default());
        Ok((most <= slots.most_packed()).then_some(Self { layout, count, here, places }))
    }

    pub fn note_messages(&mut self, messages: &Messages) {
        self.places = OrderedPlaces::new(&self.layout, self.here, messages);
    }

    /// Returns an incoming message, in the slots of its sender from the first of this move on.
    ///
    /// # Safety
    /// As for [`Slots::message`].
    pub unsafe fn message<'a>(
        &self,
        slots: &'a Slots,
        number: usize,
        first: impl Fn(usize) -> u64,
    ) -> &'a [u8] {
        let Place::Part(sender, bytes) = &self.places.incoming[number] else {
            unreachable!("all ranks are on one node")
        };
        let span = Span { first: first(*sender), count: self.count };
        // SAFETY: the sender has published the span, whose first slot the caller knows from it. The
        // slice is dropped before this rank acknowledges it, as the caller promises.
        unsafe { slots.message(*sender, span, bytes.clone()) }
    }

    pub fn incoming(&self) -> usize {
        self.places.incoming.len()
    }
}
