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
    is_packed: bool,
    /// The current move's slots, until this rank has ended it.
    begun: Option<Span>,
}

pub struct SlotRooms<'a>(&'a Slots, Span, &'a SlotMessages);

impl<'a> SlotRooms<'a> {
    pub fn add_to(self, rooms: &mut Vec<&'a mut [u8]>) {
        let SlotRooms(slots, span, SlotMessages { places, .. }) = self;
        rooms.extend(places.outgoing.iter().map(|place| {
            let Outgoing::Part(bytes) = place else { unreachable!("all ranks are on one node") };
            // SAFETY: these are this rank's messages, each named once, and disjoint
            // (`JoinedLayout`). This value is used up, and made when the rank may pack, once in a
            // move (`rooms_to_show`, `rooms`). It borrows the channel, which shows and passes. No
            // other channel of this thread moves before it is dropped, because packing calls none.
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
        Ok((most <= slots.most_packed()).then(|| Self {
            layout,
            count: slots.slots_for(most),
            here,
            places: OrderedPlaces::default(),
            is_packed: false,
            begun: None,
        }))
    }

    pub fn note_messages(&mut self, messages: &Messages) {
        self.places = OrderedPlaces::new(&self.layout, self.here, messages);
    }

    pub fn is_packed(&self) -> bool {
        self.is_packed
    }

    pub fn restart(&mut self) {
        self.is_packed = false;
    }

    pub fn rooms_to_show<'a>(&'a mut self, slots: &'a Slots) -> Option<SlotRooms<'a>> {
        let span = slots.next_span(self.count);
        self.is_packed = slots.may_pack(span);
        self.is_packed.then_some(SlotRooms(slots, span, self))
    }

    pub fn show_early(&self, slots: &Slots) {
        if self.is_packed {
            slots.show_packed(slots.next_span(self.count));
        }
    }

    /// Begins a move in which all have met; returns memory to pack into, unless all is packed.
    /// Fails if another rank, which the error names, has left a move early, or as `progress`.
    pub fn rooms<'a>(
        &'a mut self,
        slots: &'a Slots,
        progress: &dyn Fn() -> Result<(), Error>,
    ) -> Result<Option<SlotRooms<'a>>, Error> {
        let span = slots.next_span(self.count);
        slots.begin_packed(span);
        self.begun = Some(span);
        if self.is_packed {
            return Ok(None);
        }
        slots.wait_to_pack(span, progress)?;
        self.is_packed = true;
        Ok(Some(SlotRooms(slots, span, self)))
    }

    /// Publishes packed messages, and waits until all have packed, unless all `have_packed`. Fails
    /// as [`rooms`](Self::rooms).
    pub fn wait_for_all(
        &self,
        slots: &Slots,
        have_packed: bool,
        progress: &dyn Fn() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let span = self.begun.expect("rooms were asked for");
        slots.show_packed(span);
        match have_packed {
            true => Ok(()),
            false => slots.wait_for_packed(span, progress),
        }
    }

    pub unsafe fn add_messages<'m>(&'m self, slots: &'m Slots, messages: &mut Vec<&'m [u8]>) {
        let span = self.begun.expect("rooms were asked for");
        messages.extend(self.places.incoming.iter().map(|place| match place {
            // SAFETY: the caller has waited for all ranks, or has seen their votes (acquire), which
            // they cast after packing (release). It ends the move after the slices are gone.
            Place::Part(owner, bytes) => unsafe { slots.message(*owner, span, bytes.clone()) },
            Place::Parcel(..) => unreachable!("all ranks are on one node"),
        }));
    }

    /// Ends a move; `true` if this rank was in the middle of one.
    pub fn end(&mut self) -> bool {
        self.is_packed = false;
        self.begun.take().is_some()
    }
}
