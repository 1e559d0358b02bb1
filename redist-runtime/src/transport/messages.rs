//! The messages of one rank, and where they lie in memory.

use crate::program::Envelope;
use std::ops::Range;

/// A rank's messages, the same ones in every move.
#[derive(Clone, Debug)]
pub struct Messages {
    pub outgoing: Lists,
    pub incoming: Lists,
    /// The ranks that messages go to, in the order in which they are sent, one at a time; `None` where
    /// all go at once. Threads, who send nothing, do not look at it.
    pub order: Option<Vec<usize>>,
}

/// The messages of one direction, one after the other in one buffer.
#[derive(Clone, Debug)]
pub struct Lists {
    pub envelopes: Vec<Envelope>,
    /// Each one's bytes in the buffer.
    pub bytes: Vec<Range<usize>>,
    /// Bytes of the buffer.
    pub len: usize,
}

/// Bytes between messages: whose lengths are powers of two would otherwise all use the same lines
/// of a cache.
const SLACK_BYTES: usize = 64;

impl Lists {
    /// Of elements of `width` bytes.
    pub fn new(envelopes: &[Envelope], width: usize) -> Self {
        let (mut bytes, mut start) = (Vec::with_capacity(envelopes.len()), 0);
        for envelope in envelopes {
            let end = start + envelope.len * width;
            bytes.push(start..end);
            start = end + SLACK_BYTES;
        }
        Self { envelopes: envelopes.to_vec(), bytes, len: start }
    }

    /// The same without bytes in between, in a buffer of at least `room` bytes.
    pub fn close(envelopes: &[Envelope], width: usize, room: usize) -> Self {
        let (mut bytes, mut end) = (Vec::with_capacity(envelopes.len()), 0);
        for envelope in envelopes {
            let start = end;
            end += envelope.len * width;
            bytes.push(start..end);
        }
        Self { envelopes: envelopes.to_vec(), bytes, len: room.max(end) }
    }

    /// Every message's bytes in a buffer, in turn.
    pub fn split<'a>(&self, buffer: &'a mut [u8]) -> impl Iterator<Item = &'a mut [u8]> {
        let (mut rest, mut end) = (buffer, 0);
        self.bytes.iter().map(move |message| {
            let (_, from) = std::mem::take(&mut rest).split_at_mut(message.start - end);
            let (front, after) = from.split_at_mut(message.len());
            (rest, end) = (after, message.end);
            front
        })
    }

    /// The number of the message with a rank.
    pub fn with_rank(&self, rank: usize) -> Option<usize> {
        self.envelopes.iter().position(|envelope| envelope.rank == rank)
    }
}
