//! Messages between the ranks of a node, packed into the slots that chunks are shown in.
//!
//! Unsafe, since other processes read what is packed.

use super::channel::MpiChannel;
use super::context::Context;
use super::joined::{OrderedPlaces, Outgoing};
use super::staging::{Staging, given_back};
use super::way::MAX_PAIRS;
use crate::error::Error;
use crate::transport::joined::{JoinedLayout, Place};
use crate::transport::slots::Span;
use crate::transport::{Joining, Messages, PacksSlots, Source};
use std::sync::Arc;

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
pub struct SlotRooms<'a>(&'a Staging, Span, &'a SlotMessages);

impl<'a> SlotRooms<'a> {
    /// Adds each message's.
    pub fn add_to(self, rooms: &mut Vec<&'a mut [u8]>) {
        let SlotRooms(staging, span, SlotMessages { places, .. }) = self;
        rooms.extend(places.outgoing.iter().map(|place| {
            let Outgoing::Part(bytes) = place else { unreachable!("all ranks are on one node") };
            // SAFETY: these are this rank's messages, each named once, and apart (`JoinedLayout`);
            // this value is used up, and made where the rank may pack, once in a move
            // (`rooms_to_show`, `rooms`). It borrows the channel, which shows and passes; no other
            // channel of this thread moves before it is dropped, since packing calls none.
            unsafe { staging.slots().room(span, bytes.clone()) }
        }));
    }
}

impl SlotMessages {
    /// For a plan whose messages are better packed than read from chunks, if they fit: the same on
    /// all ranks.
    pub fn new(
        context: &Context,
        staging: &Staging,
        joining: Joining<'_>,
    ) -> Result<Option<Self>, Error> {
        let (ranks, here) = (context.communicator().size(), context.communicator().rank());
        if !joining.pack || ranks.saturating_mul(ranks) > MAX_PAIRS {
            return Ok(None);
        }
        let layout = JoinedLayout::new(context.nodes()?, here, joining.bytes, usize::MAX);
        let most = layout.lens.iter().copied().max().unwrap_or(0);
        let fits = most <= staging.slots().most_packed();
        Ok(fits.then(|| Self {
            layout,
            count: staging.slots().slots_for(most),
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

    /// Tells the others of what is packed before they meet.
    pub fn show_early(&self, staging: &Staging) {
        if self.is_packed {
            staging.slots().show_packed(staging.slots().next_span(self.count));
        }
    }
}

impl MpiChannel {
    /// Memory to pack into before all ranks meet, where they most likely go this way, and nothing
    /// else is waited for then.
    pub fn rooms_to_show(&mut self, source: &Source<'_>) -> Option<SlotRooms<'_>> {
        let packed = self.packed.as_mut()?;
        packed.is_packed = false;
        let context = &self.communicator.context;
        // Where this rank's source is shared, the others' most likely are, and are copied from.
        if matches!(source, Source::Shared(_)) || context.meetings().check().is_err() {
            return None;
        }
        let staging = context.open_staging()?;
        let span = staging.slots().next_span(packed.count);
        packed.is_packed = staging.slots().may_pack(span);
        packed.is_packed.then_some(SlotRooms(staging, span, packed))
    }
}

impl PacksSlots for MpiChannel {
    fn rooms(&mut self) -> Result<Option<SlotRooms<'_>>, Error> {
        let (staging, packed) = slots_and_messages(&self.communicator.context, &mut self.packed)?;
        let span = staging.slots().next_span(packed.count);
        staging.slots().begin_packed(span);
        packed.begun = Some(span);
        if packed.is_packed {
            return Ok(None);
        }
        staging.slots().wait_to_pack(span, &|| self.communicator.progress())?;
        packed.is_packed = true;
        Ok(Some(SlotRooms(staging, span, packed)))
    }

    fn wait_for_all(&mut self) -> Result<(), Error> {
        let (staging, packed) = slots_and_messages(&self.communicator.context, &mut self.packed)?;
        let span = packed.begun.expect("rooms were asked for");
        staging.slots().show_packed(span);
        // Votes of a move of slots are held in memory: what is packed before them is seen after
        // them.
        if self.vote.all_have_packed() {
            return Ok(());
        }
        staging.slots().wait_for_packed(span, &|| self.communicator.progress())
    }

    fn add_messages<'m>(&'m self, messages: &mut Vec<&'m [u8]>) {
        let packed = self.packed.as_ref().and_then(|packed| Some((packed, packed.begun?)));
        let (Some((packed, span)), Some(staging)) = (packed, self.staging()) else {
            unreachable!("ranks have met in a move of packed slots")
        };
        messages.extend(packed.places.incoming.iter().map(|place| match place {
            // SAFETY: the caller has waited for all ranks (`wait_for_all`), or has seen their votes
            // (acquire), which they cast when they had packed (release). What this returns borrows
            // the channel, which ends the move (`end_packed`).
            Place::Part(owner, bytes) => unsafe {
                staging.slots().message(*owner, span, bytes.clone())
            },
            Place::Parcel(..) => unreachable!("all ranks are on one node"),
        }));
    }

    fn end_packed(&mut self) {
        let ended = self.packed.as_mut().and_then(SlotMessages::end);
        if let Some((_, staging)) = ended.zip(self.staging()) {
            staging.slots().end_packed();
        }
    }

    fn leave_packed(&mut self) {
        let ended = self.packed.as_mut().and_then(SlotMessages::end);
        if let Some((_, staging)) = ended.zip(self.staging()) {
            staging.slots().leave();
        }
    }
}

impl SlotMessages {
    /// Ends a move; where it is, if this rank was in the middle of one.
    fn end(&mut self) -> Option<Span> {
        self.is_packed = false;
        self.begun.take()
    }
}

/// Both of what a move that all ranks have met in needs.
fn slots_and_messages<'a>(
    context: &'a Arc<Context>,
    packed: &'a mut Option<SlotMessages>,
) -> Result<(&'a Staging, &'a mut SlotMessages), Error> {
    let both = context.open_staging().zip(packed.as_mut());
    both.ok_or_else(given_back)
}
