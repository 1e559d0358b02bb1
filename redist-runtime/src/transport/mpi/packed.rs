//! Messages between the ranks of a node, packed into the slots of chunks. Unsafe, because other
//! processes read packed messages.

use super::context::Context;
use super::way::MAX_PAIRS;
use crate::transport::slots::{Slots, Span};
use crate::transport::{Joining, Lists, Messages};
use std::ops::Range;

/// Messages begin on cache lines, because one rank writes each and another reads it.
const LINE: usize = 64;

#[derive(Debug)]
pub(super) struct SlotMessages {
    pub count: u64,
    here: usize,
    /// The ranks of the node, and the place of each one's message to each of them in its slots.
    members: Vec<usize>,
    layout: Vec<Vec<Range<usize>>>,
    /// In the order of this rank's messages.
    outgoing: Vec<Range<usize>>,
    incoming: Vec<(usize, Range<usize>)>,
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
        let SlotRooms(slots, span, SlotMessages { outgoing, .. }) = self;
        rooms.extend(outgoing.iter().map(|bytes| {
            // SAFETY: these are this rank's messages, each named once, and disjoint (`layout`).
            // This value is used up, and the only one, as its maker has promised. It borrows the
            // channel, which publishes.
            unsafe { slots.room(span, bytes.clone()) }
        }));
    }
}

impl SlotMessages {
    /// Returns the slots of a plan whose messages are better packed, if they fit: alike on all
    /// ranks of the node.
    pub fn new(context: &Context, slots: &Slots, joining: Joining<'_>) -> Option<Self> {
        let members = context.lasting.pages()?.members().to_vec();
        if !joining.pack || members.len().saturating_mul(members.len()) > MAX_PAIRS {
            return None;
        }
        let (layout, lens): (Vec<_>, Vec<usize>) =
            members.iter().map(|from| layout(*from, &members, joining.bytes)).unzip();
        let most = lens.into_iter().max().unwrap_or(0);
        let (count, here) = (slots.slots_for(most), context.communicator().rank());
        let (outgoing, incoming) = Default::default();
        let packed = Self { count, here, members, layout, outgoing, incoming };
        (most <= slots.most_packed()).then_some(packed)
    }

    fn place(&self, rank: usize) -> Option<usize> {
        self.members.binary_search(&rank).ok()
    }

    /// Returns the place of a message in its sender's slots; an empty one between nodes.
    fn bytes(&self, from: usize, to: usize) -> Range<usize> {
        match (self.place(from), self.place(to)) {
            (Some(from), Some(to)) => self.layout[from][to].clone(),
            _ => 0..0,
        }
    }

    pub fn note_messages(&mut self, messages: &Messages) {
        let of = |lists: &Lists, place: &dyn Fn(usize) -> Range<usize>| -> Vec<_> {
            let with_bytes = lists.envelopes.iter().zip(&lists.bytes);
            let placed = with_bytes.map(|(envelope, bytes)| {
                let found = place(envelope.rank);
                let is_here = self.place(envelope.rank).is_some();
                assert!(!is_here || found.len() == bytes.len(), "lengths are those of the plan");
                (envelope.rank, found)
            });
            placed.collect()
        };
        let outgoing = of(&messages.outgoing, &|to| self.bytes(self.here, to));
        let incoming = of(&messages.incoming, &|from| self.bytes(from, self.here));
        self.outgoing = outgoing.into_iter().map(|(_, bytes)| bytes).collect();
        self.incoming = incoming;
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
        let (sender, bytes) = &self.incoming[number];
        let span = Span { first: first(*sender), count: self.count };
        let place = self.place(*sender).expect("ranks of other nodes send messages");
        // SAFETY: the sender has published the span, whose first slot the caller knows from it. The
        // slice is dropped before this rank acknowledges it, as the caller promises.
        unsafe { slots.message(place, span, bytes.clone()) }
    }

    pub fn sender(&self, number: usize) -> usize {
        self.incoming[number].0
    }

    pub fn incoming(&self) -> usize {
        self.incoming.len()
    }
}

/// Returns the places of a rank's messages to the ranks of its node, and their end. Sums saturate,
/// because no memory has that length.
fn layout(
    from: usize,
    members: &[usize],
    bytes: &dyn Fn(usize, usize) -> usize,
) -> (Vec<Range<usize>>, usize) {
    let mut end = 0usize;
    let place = |to: &usize| {
        let start = end.checked_next_multiple_of(LINE).unwrap_or(usize::MAX);
        end = start.saturating_add(bytes(from, *to));
        start..end
    };
    (members.iter().map(place).collect(), end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_lie_apart_on_lines() {
        let (places, end) = layout(3, &[1, 3, 4], &|from, to| (from + to) * 10);
        assert_eq!(places, [0..40, 64..124, 128..198]);
        assert_eq!(end, 198);
        assert_eq!(layout(0, &[0, 1], &|_, _| usize::MAX / 2 + 9).1, usize::MAX);
    }
}
