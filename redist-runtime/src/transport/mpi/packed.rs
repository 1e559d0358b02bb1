//! Messages between the ranks of a node, packed into the slots of chunks. Unsafe, because other
//! processes read packed messages.

use super::context::Context;
use super::node::NodeBoard;
use crate::transport::board::{Board, Progress};
use crate::transport::slots::{Slots, Span};
use crate::transport::{Lists, MessageSizes, Messages};
use std::ops::Range;

/// Messages begin on cache lines, because each is written by one rank and read by another rank.
const LINE: usize = 64;

/// Most pairs of a node's ranks whose messages are placed in slots.
const MAX_PAIRS: usize = 1 << 16;

/// Places of a plan's messages in the slots of their senders.
#[derive(Debug)]
pub(super) struct SlotMessages {
    /// Slots of each rank.
    pub count: u64,
    /// Of each message between ranks of the node, its bytes in the slots of its sender.
    layout: Vec<Vec<Range<usize>>>,
    /// Receiver and bytes, in the order of this rank's messages. Messages to other nodes are empty.
    outgoing: Vec<(usize, Range<usize>)>,
    /// Sender of each incoming message, and its bytes in the sender's slots.
    pub incoming: Vec<(usize, Range<usize>)>,
}

/// Memory in slots to pack the messages of a move into.
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
        rooms.extend(outgoing.iter().map(|(_, bytes)| {
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
    pub fn new(context: &Context, slots: &Slots, sizes: MessageSizes<'_>) -> Option<Self> {
        let members = context.pages.members();
        if !sizes.pack || members.len().saturating_mul(members.len()) > MAX_PAIRS {
            return None;
        }
        let (layout, lens): (Vec<_>, Vec<usize>) =
            members.iter().map(|from| layout(*from, members, sizes.bytes)).unzip();
        let most = lens.into_iter().max().unwrap_or(0);
        let (outgoing, incoming) = Default::default();
        let packed = Self { count: slots.slots_for(most), layout, outgoing, incoming };
        (most <= slots.most_packed()).then_some(packed)
    }

    /// Notes the messages of this rank.
    pub fn note_messages(&mut self, messages: &Messages, progress: &Progress<NodeBoard>) {
        let place = |rank: usize| progress.board.place(rank);
        let bytes = |from: usize, to: usize| self.layout[place(from)][place(to)].clone();
        let placed = |lists: &Lists, place: &dyn Fn(usize) -> Range<usize>| -> Vec<_> {
            let with_bytes = lists.envelopes.iter().zip(&lists.bytes);
            let placed = with_bytes.map(|(envelope, bytes)| {
                let is_here = progress.board.is_here(envelope.rank);
                let found = if is_here { place(envelope.rank) } else { 0..0 };
                assert!(!is_here || found.len() == bytes.len(), "lengths are those of the plan");
                (envelope.rank, found)
            });
            placed.collect()
        };
        let outgoing = placed(&messages.outgoing, &|to| bytes(progress.rank, to));
        let incoming = placed(&messages.incoming, &|from| bytes(from, progress.rank));
        (self.outgoing, self.incoming) = (outgoing, incoming);
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
