//! The messages of one direction in one buffer, cut into pieces that the library can send.

use crate::program::Envelope;
use std::ffi::c_int;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of the longest message that is sent as one; longer ones are split.
static MESSAGE_LIMIT: AtomicUsize = AtomicUsize::new(1 << 30);

/// Sets from how many bytes on messages of channels that are opened later are split; 1 GiB if nobody does.
///
/// Every rank must set the same, at least 1 and at most 2^31 - 1 bytes; other values are brought into that range.
pub fn set_message_limit(bytes: usize) {
    MESSAGE_LIMIT.store(bytes.clamp(1, c_int::MAX as usize), Ordering::Relaxed);
}

/// Bytes between messages: whose lengths are powers of two would otherwise all use the same lines of a cache.
const SLACK: usize = 64;

/// The messages of one direction, one after the other in one buffer.
#[derive(Debug)]
pub(super) struct Side {
    /// Empty until messages are first needed: see [`allocate`](Side::allocate).
    pub buffer: Vec<u8>,
    /// Bytes of the buffer.
    len: usize,
    /// Each one's bytes in the buffer.
    messages: Vec<Range<usize>>,
    pub pieces: Vec<Piece>,
    /// The pieces of each message.
    pieces_of: Vec<Range<usize>>,
}

/// A part of a message that is sent as one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub message: usize,
    pub rank: usize,
    /// In bytes of the buffer.
    pub start: usize,
    pub len: usize,
}

impl Side {
    /// Where messages of elements of `width` bytes lie; that to rank `here` has no pieces.
    pub fn new(envelopes: &[Envelope], width: usize, here: usize) -> Self {
        let limit = MESSAGE_LIMIT.load(Ordering::Relaxed);
        let (mut messages, mut pieces, mut pieces_of, mut start) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for (message, envelope) in envelopes.iter().enumerate() {
            let (bytes, rank, first) = (start..start + envelope.len * width, envelope.rank, pieces.len());
            let starts = bytes.clone().step_by(limit).filter(|_| rank != here);
            pieces.extend(starts.map(|start| Piece { message, rank, start, len: limit.min(bytes.end - start) }));
            start = bytes.end + SLACK;
            messages.push(bytes);
            pieces_of.push(first..pieces.len());
        }
        Self { buffer: Vec::new(), len: start, messages, pieces, pieces_of }
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

    /// A message's bytes.
    pub fn message(&self, message: usize) -> &[u8] {
        &self.buffer[self.messages[message].clone()]
    }

    /// Every message's bytes, in turn.
    pub fn messages_mut(&mut self) -> impl Iterator<Item = &mut [u8]> {
        let (mut rest, mut end) = (self.buffer.as_mut_slice(), 0);
        self.messages.iter().map(move |message| {
            let (_, from) = std::mem::take(&mut rest).split_at_mut(message.start - end);
            let (front, after) = from.split_at_mut(message.len());
            (rest, end) = (after, message.end);
            front
        })
    }
}
