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
    /// Bytes of a segment at most.
    pub max_bytes: usize,
    /// The other rank is on another node.
    pub is_far: bool,
    /// The message is sent by other means, with other ranks' messages.
    pub is_joined: bool,
}

/// Messages that come together from a node.
#[derive(Debug)]
pub(super) struct ArrivingParcel {
    /// Their numbers.
    pub messages: Vec<usize>,
    /// Bytes of the parcel in the buffer.
    pub bytes: Range<usize>,
    /// `true` while its receive is under way.
    pub is_open: bool,
    /// `true` once it has arrived in this move.
    pub has_arrived: bool,
}

/// Messages of one direction in one buffer, with their segments.
#[derive(Debug)]
pub(super) struct Segments {
    /// Empty until messages are first needed: see [`allocate`](Segments::allocate).
    pub buffer: Vec<u8>,
    /// Bytes of the buffer.
    pub len: usize,
    /// Messages in the order of the buffer.
    pub messages: Vec<CutMessage>,
}

/// A message and its segments, each computed when needed: a list would grow with the array.
#[derive(Debug, Default)]
pub(super) struct CutMessage {
    /// Rank on the other side.
    pub rank: usize,
    /// Places of the elements, behind the head.
    pub bytes: Range<usize>,
    /// Most bytes of a segment.
    pub max_bytes: usize,
    /// Numbers of its segments among all segments.
    pub segments: Range<usize>,
    /// The other rank is on another node.
    pub is_far: bool,
    /// It travels in a parcel of its node.
    pub is_joined: bool,
    /// It is sent in this move, or its receive has begun.
    pub goes: bool,
    /// Segments that have begun and are not complete.
    pub open: usize,
    /// Segments of its beginning that have arrived, or have been sent.
    pub front: usize,
    pub arrival: Arrival,
}

/// The segments of a message so far, and what they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Arrival {
    /// Its head, once that has arrived: perhaps of a message of a different move.
    pub head: Option<Head>,
    /// A segment had another length than it should.
    pub is_short: bool,
    /// This rank waits for no further message of this move.
    pub is_closed: bool,
}

impl CutMessage {
    /// Returns `true` if it goes to another node, in no parcel.
    pub fn goes_far(&self) -> bool {
        self.is_far && !self.is_joined
    }
}

/// One segment of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MessageSegment {
    /// Rank on the other side.
    pub rank: usize,
    /// Index of the message.
    pub message: usize,
    /// Bytes of the buffer before it.
    pub start: usize,
    /// Bytes of the segment.
    pub len: usize,
}

impl MessageSegment {
    pub fn end(self) -> usize {
        self.start + self.len
    }
}

impl Segments {
    /// Cuts messages into segments, as is right for the other rank; rank `here` has none.
    pub fn new(lists: &Lists, cut: &dyn Fn(usize) -> Cut, here: usize) -> Self {
        let mut messages = Vec::with_capacity(lists.envelopes.len());
        let mut first = 0;
        for (&Envelope { rank, .. }, bytes) in lists.envelopes.iter().zip(&lists.bytes) {
            let (bytes, Cut { max_bytes, is_far, is_joined }) = (bytes.clone(), cut(rank));
            let is_apart = rank != here && !is_joined;
            let count = if is_apart { bytes.len().div_ceil(max_bytes) } else { 0 };
            let segments = first..first + count;
            let message = CutMessage { rank, bytes, max_bytes, segments, ..Default::default() };
            messages.push(CutMessage { is_far, is_joined, ..message });
            first += count;
        }
        Self { buffer: Vec::new(), len: lists.len, messages }
    }

    pub fn count(&self) -> usize {
        self.messages.last().map_or(0, |message| message.segments.end)
    }

    pub fn segment(&self, message: usize, number: usize) -> MessageSegment {
        let CutMessage { rank, bytes, max_bytes, segments, .. } = &self.messages[message];
        assert!(segments.contains(&number), "a segment of this message");
        let start = bytes.start + (number - segments.start) * max_bytes;
        let len = (*max_bytes).min(bytes.end - start);
        let head = if number == segments.start { HEAD_BYTES } else { 0 };
        MessageSegment { rank: *rank, message, start: start - head, len: len + head }
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
        for number in 0..self.messages.len() {
            self.write_head(number, head);
        }
    }

    /// Writes the head of a message that goes in no parcel, with the number of its segments.
    pub fn write_head(&mut self, message: usize, head: Head) {
        let CutMessage { bytes, segments, .. } = &self.messages[message];
        if !segments.is_empty() {
            let head = Head { segments: segments.len() as u64, ..head };
            self.buffer[bytes.start - HEAD_BYTES..bytes.start].copy_from_slice(&head.bytes());
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
    pub fn head_in(&self, segment: MessageSegment, bytes: usize) -> Option<Head> {
        let message = &self.messages[segment.message];
        if segment.start >= message.bytes.start || bytes < HEAD_BYTES {
            return None;
        }
        self.head_of(segment.message)
    }

    pub fn find(&self, number: usize) -> Option<MessageSegment> {
        let message = self.messages.partition_point(|message| message.segments.end <= number);
        (message < self.messages.len()).then(|| self.segment(message, number))
    }

    /// Closes messages under way, except messages of ranks that `stay`, and returns their segments.
    /// Other ranks' marks change during the call, so that each rank is looked at once.
    pub fn close(&mut self, stay: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
        let under_way = self.messages.iter_mut().filter(|message| message.open > 0);
        let gone = under_way.filter(|message| !stay(message.rank));
        let close = |message: &mut CutMessage| {
            message.open = 0;
            message.segments.clone()
        };
        gone.map(close).collect()
    }

    pub fn allocate(&mut self) {
        if self.buffer.len() < self.len {
            self.buffer = vec![0; self.len];
        }
    }

    pub fn segments_of(&self, message: usize) -> Range<usize> {
        self.messages[message].segments.clone()
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
        // one covers a message that MPI is through with, as `Transfers` has seen, or only reads.
        unsafe { slice::from_raw_parts(self.buffer.as_ptr().add(range.start), range.len()) }
    }

    /// Returns a message that has arrived, with its head.
    pub fn message_and_head(&self, message: usize) -> &[u8] {
        let (range, start) = (self.range(message), self.buffer.as_ptr());
        let start = start.wrapping_add(range.start - HEAD_BYTES);
        // SAFETY: a head lies before each message in the buffer (`Lists`), and `range` checks that the
        // message is inside. All of the buffer is initialised, and MPI is through with these bytes,
        // as `Transfers` has seen, or only reads them.
        unsafe { slice::from_raw_parts(start, HEAD_BYTES + range.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(max_bytes: usize) -> Cut {
        Cut { max_bytes, is_far: false, is_joined: false }
    }

    /// A list of the segments would fill any memory.
    #[test]
    fn segments_of_the_longest_messages_are_not_listed() {
        let envelopes = [0, 1, 2].map(|rank| Envelope { rank, len: (1 << 60) + 5 });
        let segments = Segments::new(&Lists::new(&envelopes, 1), &|rank| cut(1 << (20 + rank)), 1);
        assert_eq!(segments.count(), (1 << 40) + (1 << 38) + 2);
        assert_eq!(segments.find(1 << 40).map(|segment| (segment.rank, segment.len)), Some((0, 5)));
        let last = segments.find(segments.count() - 1);
        assert_eq!(last.map(|segment| (segment.rank, segment.len)), Some((2, 5)));
        assert_eq!(last.map(MessageSegment::end), Some(segments.messages[2].bytes.end));
        assert_eq!(segments.find(segments.count()), None);
    }

    #[test]
    fn segments_cover_each_message_once() {
        let envelopes = [(0, 7), (3, 0), (2, 4), (1, 9), (4, 1)];
        let envelopes = envelopes.map(|(rank, len)| Envelope { rank, len });
        let segments = Segments::new(&Lists::new(&envelopes, 2), &|rank| cut(3 + rank), 2);
        let of = |message| segments.segments_of(message).map(move |number| (message, number));
        let all = (0..segments.messages.len()).flat_map(of);
        let all: Vec<_> = all.map(|(message, number)| segments.segment(message, number)).collect();
        assert_eq!(all.len(), segments.count());
        let found: Vec<_> =
            (0..segments.count()).filter_map(|number| segments.find(number)).collect();
        assert_eq!(all, found);
        for message in segments.messages.iter().filter(|message| message.rank != 2) {
            let head = if message.segments.is_empty() { 0 } else { HEAD_BYTES };
            let mut end = message.bytes.start - head;
            for segment in all.iter().filter(|segment| segment.rank == message.rank) {
                assert_eq!(segment.start, end);
                end = segment.end();
            }
            assert_eq!(end, message.bytes.end);
        }
        assert!(all.iter().all(|segment| segment.rank != 2 && segment.len > 0));
    }
}
