//! In which order a rank's messages are sent, and how far it has come.

use crate::transport::Messages;
use std::collections::HashMap;

/// The messages that a rank sends to others.
#[derive(Debug)]
pub(super) struct Sending {
    /// Their numbers, in the order in which they are sent.
    order: Vec<usize>,
    /// True if each is sent when the one before has been.
    in_turn: bool,
    /// Messages whose sending has begun in this move.
    begun: usize,
    /// Pieces that are under way.
    pub pieces: usize,
}

impl Sending {
    /// The message of rank `here` to itself is left out. A message that the schedule does not know
    /// comes last.
    pub fn new(messages: &Messages, here: usize) -> Self {
        let to = &messages.outgoing.envelopes;
        let mut order: Vec<usize> = (0..to.len()).filter(|send| to[*send].rank != here).collect();
        if let Some(ranks) = &messages.order {
            let places: HashMap<_, _> = ranks.iter().zip(0..).collect();
            order.sort_by_key(|send| places.get(&to[*send].rank).copied().unwrap_or(usize::MAX));
        }
        Self { order, in_turn: messages.order.is_some(), begun: 0, pieces: 0 }
    }

    /// Returns `true` if at most one message is under way at a time in a move that this rank runs.
    pub fn is_in_turn(&self) -> bool {
        self.in_turn
    }

    /// Nothing has been sent yet.
    pub fn restart(&mut self) {
        (self.begun, self.pieces) = (0, 0);
    }

    /// The next message, whose sending begins with this.
    pub fn begin_next(&mut self) -> Option<usize> {
        let next = self.order.get(self.begun).copied();
        self.begun += usize::from(next.is_some());
        next
    }

    /// Returns `true` if all is sent of the messages so far.
    pub fn is_idle(&self) -> bool {
        self.pieces == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Envelope;
    use crate::transport::Lists;

    /// The ranks that rank 2 sends messages to, in this order.
    fn sent(order: Option<&[usize]>) -> Vec<usize> {
        let envelopes = [0, 1, 2, 3].map(|rank| Envelope { rank, len: 1 });
        let (outgoing, incoming) = (Lists::new(&envelopes, 1), Lists::new(&[], 1));
        let order = order.map(<[usize]>::to_vec);
        let mut sending = Sending::new(&Messages { outgoing, incoming, order }, 2);
        std::iter::from_fn(|| sending.begin_next()).collect()
    }

    #[test]
    fn messages_are_sent_in_the_order_of_the_schedule() {
        assert_eq!(sent(None), [0, 1, 3]);
        assert_eq!(sent(Some(&[3, 2, 0, 1])), [3, 0, 1]);
    }

    /// A round has messages to some ranks of the schedule only.
    #[test]
    fn each_message_is_sent_once_whatever_the_schedule_says() {
        assert_eq!(sent(Some(&[9, 3, 3, 1])), [3, 1, 0]);
        assert_eq!(sent(Some(&[])), [0, 1, 3]);
    }
}
