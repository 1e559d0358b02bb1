//! Messages between the ranks of a node, packed into the slots that chunks are shown in.
//!
//! Unsafe, since other processes read what is packed.

use super::context::Context;
use super::joined::{OrderedPlaces, Outgoing};
use super::way::MAX_PAIRS;
use crate::error::Error;
use crate::transport::joined::{JoinedLayout, Place};
use crate::transport::slots::{Slots, Span};
use crate::transport::{Joining, Messages};

/// Where the messages of a plan lie in slots.
#[derive(Debug)]
pub(super) struct SlotMessages {
    layout: JoinedLayout,
    /// Slots of each rank.
    pub count: u64,
    /// The rank, which is its place among those of the node, too.
    here: usize,
    places: OrderedPlaces,
    /// Whether what the next move sends is packed.
    is_packed: bool,
    /// Where the move is that ranks have met in, as long as this one has not ended it.
    begun: Option<Span>,
}

/// Memory to pack the messages of a move into.
pub struct SlotRooms<'a>(&'a Slots, Span, &'a SlotMessages);

impl<'a> SlotRooms<'a> {
    /// Adds each message's.
    pub fn add_to(self, rooms: &mut Vec<&'a mut [u8]>) {
        let SlotRooms(slots, span, SlotMessages { places, .. }) = self;
        rooms.extend(places.outgoing.iter().map(|place| {
            let Outgoing::Part(bytes) = place else { unreachable!("all ranks are on one node") };
            // SAFETY: these are this rank's messages, each named once, and apart (`JoinedLayout`);
            // this value is used up, and made where the rank may pack, once in a move
            // (`rooms_to_show`, `rooms`). It borrows the channel, which shows and passes; no other
            // channel of this thread moves before it is dropped, since packing calls none.
            unsafe { slots.room(span, bytes.clone()) }
        }));
    }
}

impl SlotMessages {
    /// For a plan whose messages are better packed than read from chunks, if they fit: the same on
    /// all ranks.
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

    /// Notes in which order this rank has its messages.
    pub fn note_messages(&mut self, messages: &Messages) {
        self.places = OrderedPlaces::new(&self.layout, self.here, messages);
    }

    /// Whether what this move sends is packed.
    pub fn is_packed(&self) -> bool {
        self.is_packed
    }

    /// Notes that nothing is packed yet of the move that is met next.
    pub fn restart(&mut self) {
        self.is_packed = false;
    }

    /// Memory to pack into before all ranks meet, if there is room for it.
    pub fn rooms_to_show<'a>(&'a mut self, slots: &'a Slots) -> Option<SlotRooms<'a>> {
        let span = slots.next_span(self.count);
        self.is_packed = slots.may_pack(span);
        self.is_packed.then_some(SlotRooms(slots, span, self))
    }

    /// Tells the others of what is packed before they meet.
    pub fn show_early(&self, slots: &Slots) {
        if self.is_packed {
            slots.show_packed(slots.next_span(self.count));
        }
    }

    /// Begins a move in which all have met: memory to pack into, unless all is packed.
    ///
    /// # Errors
    /// Naming the rank, that another has left a move in the middle; or those of `progress`.
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

    /// Shows what is packed, and waits until all have packed, unless they are known to `have_packed`.
    ///
    /// # Errors
    /// As [`rooms`](Self::rooms).
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

    /// Adds each incoming message.
    ///
    /// # Safety
    /// This rank has [waited](Self::wait_for_all) for all ranks, and [ends](Self::end) the move when
    /// nothing borrows the messages any more.
    pub unsafe fn add_messages<'m>(&'m self, slots: &'m Slots, messages: &mut Vec<&'m [u8]>) {
        let span = self.begun.expect("rooms were asked for");
        messages.extend(self.places.incoming.iter().map(|place| match place {
            // SAFETY: the caller has waited for all ranks, or has seen their votes (acquire), which
            // they cast when they had packed (release); it ends the move after what this returns.
            Place::Part(owner, bytes) => unsafe { slots.message(*owner, span, bytes.clone()) },
            Place::Parcel(..) => unreachable!("all ranks are on one node"),
        }));
    }

    /// Ends a move; true if this rank was in the middle of one.
    pub fn end(&mut self) -> bool {
        self.is_packed = false;
        self.begun.take().is_some()
    }
}
