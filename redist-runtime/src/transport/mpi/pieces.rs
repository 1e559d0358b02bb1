//! The messages of one direction in one buffer, cut into pieces that the library can send.
//!
//! Unsafe, since MPI writes to some messages while others are read.

use crate::program::Envelope;
use crate::transport::Lists;
use std::ops::Range;
use std::slice;

/// The messages of one direction, one after the other in one buffer.
#[derive(Debug)]
pub(super) struct Pieces {
    /// Empty until messages are first needed: see [`allocate`](Pieces::allocate).
    pub buffer: Vec<u8>,
    /// Bytes of the buffer.
    len: usize,
    /// Each message's bytes in the buffer.
    pub messages: Vec<Range<usize>>,
    pub pieces: Vec<MessagePiece>,
    /// The pieces of each message.
    pub pieces_of: Vec<Range<usize>>,
}

/// A part of a message that is sent as one.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessagePiece {
    pub rank: usize,
    /// In bytes of the buffer.
    pub start: usize,
    pub len: usize,
}

impl Pieces {
    /// Pieces of at most `max_bytes` of the other rank; the message to rank `here` has none.
    pub fn new(lists: &Lists, max_bytes: &dyn Fn(usize) -> usize, here: usize) -> Self {
        let (mut pieces, mut pieces_of) = (Vec::new(), Vec::new());
        for (&Envelope { rank, .. }, bytes) in lists.envelopes.iter().zip(&lists.bytes) {
            let (first, max_bytes) = (pieces.len(), max_bytes(rank));
            let starts = bytes.clone().step_by(max_bytes).filter(|_| rank != here);
            pieces.extend(starts.map(|start| {
                let len = max_bytes.min(bytes.end - start);
                MessagePiece { rank, start, len }
            }));
            pieces_of.push(first..pieces.len());
        }
        Self {
            buffer: Vec::new(),
            len: lists.len,
            messages: lists.bytes.clone(),
            pieces,
            pieces_of,
        }
    }

    /// Makes room for the messages, if there is none yet.
    pub fn allocate(&mut self) {
        if self.buffer.len() < self.len {
            self.buffer = vec![0; self.len];
        }
    }

    /// The numbers of a message's pieces.
    pub fn pieces_of(&self, message: usize) -> Range<usize> {
        self.pieces_of[message].clone()
    }

    /// Where a message lies in the buffer, which has it.
    pub fn range(&self, message: usize) -> Range<usize> {
        let range = self.messages[message].clone();
        assert!(range.end <= self.buffer.len(), "there is memory for messages when they are read");
        range
    }

    /// The bytes of a message that has arrived, or has been packed. Others may be on their way.
    pub fn message(&self, message: usize) -> &[u8] {
        let Range { start, end } = self.messages[message].clone();
        assert!(end <= self.buffer.len(), "messages are asked for when there is memory for them");
        // SAFETY: the range is inside of the buffer, as checked above, and all of that is
        // initialised. A borrow of all of it would cover messages that MPI still writes to; this one
        // covers a message that it is through with, as `Mail` has seen, or only reads.
        unsafe { slice::from_raw_parts(self.buffer.as_ptr().add(start), end - start) }
    }
}
