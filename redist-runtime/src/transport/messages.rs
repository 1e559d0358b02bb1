//! The messages of one rank, and where they lie in memory.

use crate::program::Envelope;
#[cfg(feature = "mpi")]
use std::collections::HashMap;
use std::ops::Range;

/// A rank's messages: the same in every move.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    pub outgoing: Lists,
    pub incoming: Lists,
    /// The receivers in sending order, one at a time; `None` if all at once. Threads ignore it.
    pub order: Option<Vec<usize>>,
}

#[cfg(feature = "mpi")]
impl Messages {
    /// Returns the numbers of outgoing messages in the order of sending, without that of rank `here`
    /// to itself. A message that the schedule lacks comes last.
    pub fn in_order(&self, here: usize) -> Vec<usize> {
        let to = &self.outgoing.envelopes;
        let sends = (0..to.len()).filter(|send| to[*send].rank != here);
        let Some(ranks) = &self.order else { return sends.collect() };
        let places: HashMap<_, _> = ranks.iter().zip(0..).collect();
        let place = |send: usize| places.get(&to[send].rank).copied().unwrap_or(usize::MAX);
        let mut order: Vec<_> = sends.map(|send| (place(send), send)).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, send)| send).collect()
    }
}

/// The messages of one direction, in one buffer.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    pub envelopes: Vec<Envelope>,
    /// Range of each message in the buffer, in bytes.
    pub bytes: Vec<Range<usize>>,
    /// Bytes of the buffer.
    pub len: usize,
}

/// Bytes before each message: as for a head, because lengths of powers of two would use the same
/// cache lines.
const SPACE_BYTES: usize = 64;

impl Lists {
    pub fn new(envelopes: &[Envelope], width: usize) -> Self {
        Self::spaced(envelopes, width, SPACE_BYTES)
    }

    /// The same with `head` bytes before each message, in a buffer of at least `room` bytes.
    pub fn close(envelopes: &[Envelope], width: usize, head: usize, room: usize) -> Self {
        let close = Self::spaced(envelopes, width, head);
        Self { len: room.max(close.len), ..close }
    }

    fn spaced(envelopes: &[Envelope], width: usize, space: usize) -> Self {
        let (mut bytes, mut end) = (Vec::with_capacity(envelopes.len()), 0);
        for envelope in envelopes {
            let start = end + space;
            end = start + envelope.len * width;
            bytes.push(start..end);
        }
        Self { envelopes: envelopes.to_vec(), bytes, len: end }
    }

    pub fn split<'a>(&self, buffer: &'a mut [u8]) -> impl Iterator<Item = &'a mut [u8]> {
        let (mut rest, mut end) = (buffer, 0);
        self.bytes.iter().map(move |message| {
            let (_, from) = std::mem::take(&mut rest).split_at_mut(message.start - end);
            let (front, after) = from.split_at_mut(message.len());
            (rest, end) = (after, message.end);
            front
        })
    }

    pub fn with_rank(&self, rank: usize) -> Option<usize> {
        self.envelopes.iter().position(|envelope| envelope.rank == rank)
    }
}

#[cfg(all(test, feature = "mpi"))]
mod tests {
    use super::*;

    fn sent(schedule: Option<&[usize]>) -> Vec<usize> {
        let envelopes = [0, 1, 2, 3].map(|rank| Envelope { rank, len: 1 });
        let (outgoing, incoming) = (Lists::new(&envelopes, 1), Lists::new(&[], 1));
        let schedule = schedule.map(<[usize]>::to_vec);
        Messages { outgoing, incoming, order: schedule }.in_order(2)
    }

    /// Each is sent once, whatever the schedule says; a round has messages to some of its ranks only.
    #[test]
    fn messages_are_sent_in_the_order_of_the_schedule() {
        assert_eq!(sent(None), [0, 1, 3]);
        assert_eq!(sent(Some(&[3, 2, 0, 1])), [3, 0, 1]);
        assert_eq!(sent(Some(&[9, 3, 3, 1])), [3, 1, 0]);
        assert_eq!(sent(Some(&[])), [0, 1, 3]);
    }
}
