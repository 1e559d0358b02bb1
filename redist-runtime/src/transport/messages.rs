//! The messages of one rank, and where they lie in memory.

use crate::program::Envelope;
use std::ops::Range;

/// A rank's messages: the same in every move.
#[derive(Clone, Debug)]
pub struct Messages {
    pub outgoing: Lists,
    pub incoming: Lists,
    /// The receivers in sending order, one at a time; `None` if all at once. Threads ignore it.
    pub order: Option<Vec<usize>>,
}

/// The messages of one direction, in one buffer.
#[derive(Clone, Debug)]
pub struct Lists {
    pub envelopes: Vec<Envelope>,
    pub bytes: Vec<Range<usize>>,
    pub len: usize,
}

/// Bytes between messages, because lengths of powers of two would use the same cache lines.
const SLACK_BYTES: usize = 64;

impl Lists {
    pub fn new(envelopes: &[Envelope], width: usize) -> Self {
        let (mut bytes, mut start) = (Vec::with_capacity(envelopes.len()), 0);
        for envelope in envelopes {
            let end = start + envelope.len * width;
            bytes.push(start..end);
            start = end + SLACK_BYTES;
        }
        Self { envelopes: envelopes.to_vec(), bytes, len: start }
    }

    /// The same without bytes between messages, in a buffer of at least `room` bytes.
    pub fn close(envelopes: &[Envelope], width: usize, room: usize) -> Self {
        let (mut bytes, mut end) = (Vec::with_capacity(envelopes.len()), 0);
        for envelope in envelopes {
            let start = end;
            end += envelope.len * width;
            bytes.push(start..end);
        }
        Self { envelopes: envelopes.to_vec(), bytes, len: room.max(end) }
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
