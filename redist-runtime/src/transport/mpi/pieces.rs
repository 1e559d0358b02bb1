//! Messages of a move in one buffer, and the segments that each is cut into. Unsafe, because
//! segments arrive in the buffer while others are read.

use super::gateway::Parcel;
use crate::program::Envelope;
use crate::transport::Lists;
use crate::transport::wire::{HEAD_BYTES, Head};
use std::ops::Range;
use std::slice;

/// The cutting of messages to and from a rank.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cut {
    pub max_bytes: usize,
    /// A head comes before the elements.
    pub has_head: bool,
    /// The message is sent by other means, with those of other ranks.
    pub is_joined: bool,
}

/// Messages that come together from a node.
#[derive(Debug)]
pub(super) struct ArrivingParcel {
    /// Their numbers.
    pub messages: Vec<usize>,
    pub bytes: Range<usize>,
    pub is_open: bool,
    pub has_arrived: bool,
}

#[derive(Debug)]
pub(super) struct Pieces {
    /// Empty until messages are first needed: see [`allocate`](Pieces::allocate).
    pub buffer: Vec<u8>,
    pub len: usize,
    pub messages: Vec<CutMessage>,
}

/// A message and its segments, each computed when needed: a list would grow with the array.
#[derive(Debug, Default)]
pub(super) struct CutMessage {
    pub rank: usize,
    pub bytes: Range<usize>,
    /// Bytes of the head, in the first segment.
    pub head: usize,
    pub max_bytes: usize,
    pub pieces: Range<usize>,
    pub is_joined: bool,
    /// It is sent in this move, or its receive has begun.
    pub goes: bool,
    /// Segments that have begun and are not complete.
    pub open: usize,
    /// Segments of its beginning that have arrived, or have been sent.
    pub front: usize,
}

impl CutMessage {
    /// Returns `true` if it is sent with a head, and by itself.
    pub fn has_own_head(&self) -> bool {
        self.head > 0 && !self.is_joined
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MessagePiece {
    pub rank: usize,
    pub message: usize,
    pub start: usize,
    pub len: usize,
}

impl MessagePiece {
    pub fn end(self) -> usize {
        self.start + self.len
    }
}

impl Pieces {
    /// Cuts messages into segments, as is right for the other rank; rank `here` has none.
    pub fn new(lists: &Lists, cut: &dyn Fn(usize) -> Cut, here: usize) -> Self {
        let mut messages = Vec::with_capacity(lists.envelopes.len());
        let mut first = 0;
        for (&Envelope { rank, .. }, bytes) in lists.envelopes.iter().zip(&lists.bytes) {
            let (bytes, Cut { max_bytes, has_head, is_joined }) = (bytes.clone(), cut(rank));
            let is_apart = rank != here && !is_joined;
            let count = if is_apart { bytes.len().div_ceil(max_bytes) } else { 0 };
            let (head, pieces) = (if has_head { HEAD_BYTES } else { 0 }, first..first + count);
            let message = CutMessage { rank, bytes, head, max_bytes, pieces, ..Default::default() };
            messages.push(CutMessage { is_joined, ..message });
            first += count;
        }
        Self { buffer: Vec::new(), len: lists.len, messages }
    }

    pub fn count(&self) -> usize {
        self.messages.last().map_or(0, |message| message.pieces.end)
    }

    pub fn piece(&self, message: usize, number: usize) -> MessagePiece {
        let CutMessage { rank, bytes, head, max_bytes, pieces, .. } = &self.messages[message];
        assert!(pieces.contains(&number), "a segment of this message");
        let start = bytes.start + (number - pieces.start) * max_bytes;
        let len = (*max_bytes).min(bytes.end - start);
        let head = if number == pieces.start { *head } else { 0 };
        MessagePiece { rank: *rank, message, start: start - head, len: len + head }
    }

    /// Gives the messages of a parcel places behind all others.
    pub fn join(&mut self, parcel: &Parcel) -> ArrivingParcel {
        let bytes = self.len..self.len + parcel.len;
        self.len = bytes.end;
        let mut messages = Vec::new();
        for part in &parcel.parts {
            let found = self.messages.iter().position(|message| message.rank == part.sender);
            let number = found.expect("the plan has each message");
            let own = &mut self.messages[number];
            assert_eq!(own.bytes.len(), part.bytes.len(), "lengths are those of the plan");
            own.bytes = bytes.start + part.bytes.start..bytes.start + part.bytes.end;
            messages.push(number);
        }
        ArrivingParcel { messages, bytes, is_open: false, has_arrived: false }
    }

    pub fn write_heads(&mut self, head: Head) {
        for message in self.messages.iter().filter(|message| message.has_own_head()) {
            let start = message.bytes.start;
            self.buffer[start - HEAD_BYTES..start].copy_from_slice(&head.bytes());
        }
    }

    /// Returns the head of a message whose beginning has arrived.
    pub fn head_of(&self, message: usize) -> Option<Head> {
        let start = self.range(message).start - HEAD_BYTES;
        // SAFETY: these bytes are in the buffer, which is there, and have arrived.
        let head = unsafe { slice::from_raw_parts(self.buffer.as_ptr().add(start), HEAD_BYTES) };
        Head::read(head).ok()
    }

    /// Returns the head in a segment of which so many bytes have arrived, if it has one.
    pub fn head_in(&self, piece: MessagePiece, bytes: usize) -> Option<Head> {
        let message = &self.messages[piece.message];
        if message.head == 0 || piece.start >= message.bytes.start || bytes < HEAD_BYTES {
            return None;
        }
        self.head_of(piece.message)
    }

    pub fn find(&self, number: usize) -> Option<MessagePiece> {
        let message = self.messages.partition_point(|message| message.pieces.end <= number);
        (message < self.messages.len()).then(|| self.piece(message, number))
    }

    /// Closes messages under way, but those of ranks that `stay`, and returns their segments. Other
    /// ranks' marks change meanwhile, so that each rank is looked at once.
    pub fn close(&mut self, stay: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
        let under_way = self.messages.iter_mut().filter(|message| message.open > 0);
        let gone = under_way.filter(|message| !stay(message.rank));
        let close = |message: &mut CutMessage| {
            message.open = 0;
            message.pieces.clone()
        };
        gone.map(close).collect()
    }

    pub fn allocate(&mut self) {
        if self.buffer.len() < self.len {
            self.buffer = vec![0; self.len];
        }
    }

    pub fn pieces_of(&self, message: usize) -> Range<usize> {
        self.messages[message].pieces.clone()
    }

    pub fn range(&self, message: usize) -> Range<usize> {
        let range = self.messages[message].bytes.clone();
        assert!(range.end <= self.buffer.len(), "there is memory for messages when they are read");
        range
    }

    /// Returns a message that has arrived, or is packed. Other messages may be on their way.
    pub fn message(&self, message: usize) -> &[u8] {
        let range = self.range(message);
        // SAFETY: the range is inside of the buffer, as `range` checks, and all of the buffer is
        // initialised. A borrow of all of it would cover messages that MPI still writes to. This
        // one covers a message that MPI is through with, as `Mail` has seen, or only reads.
        unsafe { slice::from_raw_parts(self.buffer.as_ptr().add(range.start), range.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(max_bytes: usize) -> Cut {
        Cut { max_bytes, has_head: false, is_joined: false }
    }

    /// A list of the segments would fill any memory.
    #[test]
    fn segments_of_the_longest_messages_are_not_listed() {
        let envelopes = [0, 1, 2].map(|rank| Envelope { rank, len: (1 << 60) + 5 });
        let pieces = Pieces::new(&Lists::new(&envelopes, 1), &|rank| cut(1 << (20 + rank)), 1);
        assert_eq!(pieces.count(), (1 << 40) + (1 << 38) + 2);
        assert_eq!(pieces.find(1 << 40).map(|piece| (piece.rank, piece.len)), Some((0, 5)));
        let last = pieces.find(pieces.count() - 1);
        assert_eq!(last.map(|piece| (piece.rank, piece.len)), Some((2, 5)));
        assert_eq!(last.map(MessagePiece::end), Some(pieces.messages[2].bytes.end));
        assert_eq!(pieces.find(pieces.count()), None);
    }

    #[test]
    fn segments_cover_each_message_once() {
        let envelopes = [(0, 7), (3, 0), (2, 4), (1, 9), (4, 1)];
        let envelopes = envelopes.map(|(rank, len)| Envelope { rank, len });
        let pieces = Pieces::new(&Lists::new(&envelopes, 2), &|rank| cut(3 + rank), 2);
        let of = |message| pieces.pieces_of(message).map(move |number| (message, number));
        let all = (0..pieces.messages.len()).flat_map(of);
        let all: Vec<_> = all.map(|(message, number)| pieces.piece(message, number)).collect();
        assert_eq!(all.len(), pieces.count());
        let found: Vec<_> = (0..pieces.count()).filter_map(|number| pieces.find(number)).collect();
        assert_eq!(all, found);
        for message in pieces.messages.iter().filter(|message| message.rank != 2) {
            let mut end = message.bytes.start;
            for piece in all.iter().filter(|piece| piece.rank == message.rank) {
                assert_eq!(piece.start, end);
                end = piece.end();
            }
            assert_eq!(end, message.bytes.end);
        }
        assert!(all.iter().all(|piece| piece.rank != 2 && piece.len > 0));
    }
}
