//! Slots in ordinary memory, between ranks that are threads, or that one thread plays in turn.

#[cfg(not(loom))]
mod in_turn;

use super::{PAGE, SLOTS, Slots, Span};
use crate::cache::Stores;
use crate::program::ShownChunk;
use crate::transport::board::{CollectiveCall, ShownCall};
use crate::transport::sync::yield_now;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a chunk in these tests.
pub const CHUNK: usize = 3;

/// Parts of all ranks in ordinary memory: pointers to as many bytes, and their owner.
fn in_parts(ranks: usize, bytes: usize) -> (Vec<*mut u8>, Vec<Vec<u8>>) {
    let mut memory = vec![vec![0; bytes + PAGE]; ranks];
    let aligned = |first: *mut u8| first.wrapping_add(first.align_offset(PAGE));
    (memory.iter_mut().map(|part| aligned(part.as_mut_ptr())).collect(), memory)
}

fn array(rank: usize, number: u64, len: usize) -> Vec<u8> {
    (0..len).map(|index| (rank * 89 + index * 7 + number as usize * 31) as u8).collect()
}

fn elements(round: usize, len: usize) -> Range<usize> {
    round * CHUNK..len.min((round + 1) * CHUNK)
}

pub fn wait(is_true: impl Fn() -> bool) {
    while !is_true() {
        yield_now();
    }
}

/// One rank's slots and calls.
pub struct OneRank {
    pub slots: Slots,
    calls: Vec<*mut ShownCall>,
    /// The rank's pointers are to this.
    _memory: Arc<Vec<Vec<u8>>>,
}

// SAFETY: ranks use the memory as `Slots` says, on whichever thread each is. The last one frees it.
unsafe impl Send for OneRank {}

/// Makes all ranks of a node. A part has a page for the rank's last call, and its slots.
pub fn node(ranks: usize) -> Vec<OneRank> {
    let (parts, memory) = in_parts(ranks, PAGE + Slots::part_bytes((SLOTS, CHUNK), ranks));
    let memory = Arc::new(memory);
    let make = |rank: usize| {
        let calls: Vec<*mut ShownCall> = parts.iter().map(|part| part.cast()).collect();
        let parts = parts.iter().map(|part| part.wrapping_add(PAGE)).collect();
        // SAFETY: parts begin with a page, and have as many bytes as the slots behind it, all of
        // them zeros. This is done once for each rank, before any of them goes on, and each keeps
        // the memory.
        let slots = unsafe {
            calls[rank].write(ShownCall::default());
            Slots::new((SLOTS, CHUNK), parts, rank)
        };
        OneRank { slots, calls, _memory: Arc::clone(&memory) }
    };
    (0..ranks).map(make).collect()
}

impl OneRank {
    fn last_call(&self, rank: usize) -> &ShownCall {
        // SAFETY: `node` has put it there, in memory that this keeps.
        unsafe { &*self.calls[rank] }
    }

    /// Leaves all moves before this one.
    pub fn show_call(&self, number: u64) -> CollectiveCall {
        let call = CollectiveCall::new(number, 0);
        self.last_call(self.slots.rank).show(call);
        call
    }

    pub fn reader(&self, chunk: u64) -> Option<usize> {
        self.slots.reader(chunk, |rank, call| self.last_call(rank).get().is_past(call))
    }

    /// Begins a move, in which other ranks turn out to read nothing.
    pub fn begin(&self, number: u64, chunks: Range<u64>, receivers: &[usize]) {
        let others: Vec<_> =
            (0..self.calls.len()).filter(|rank| *rank != self.slots.rank).collect();
        self.slots.begin(chunks, self.show_call(number), others.iter().copied());
        self.slots.keep(|rank| receivers.contains(&rank));
    }

    pub fn stage(&self, chunk: u64, number: u64, (round, len): (usize, usize)) {
        let (source, elements) = (array(self.slots.rank, number, len), elements(round, len));
        let shown = ShownChunk { number: round, elements: elements.clone() };
        self.slots.stage(chunk, (1, Stores::Cached), &source, &shown, |part| part(elements));
    }

    pub fn read(&self, sender: usize, chunk: u64, number: u64, (round, len): (usize, usize)) {
        wait(|| self.slots.has(sender, chunk));
        // SAFETY: this rank has waited for the chunk. It acknowledges it, or leaves the move, when
        // the slice is gone.
        let (at, bytes) = unsafe { self.slots.shown(sender, chunk) };
        assert_eq!((at, bytes), (round, &array(sender, number, len)[elements(round, len)]));
        // No rank has written there until now.
        self.slots.touch(sender, Span { first: chunk, count: 1 }, |contents| contents.read());
    }

    /// Makes a move of `len` elements of each rank that sends. All ranks count as many chunks.
    pub fn move_chunks(&self, number: u64, len: usize, sends: impl Fn(usize, usize) -> bool) {
        let ((senders, receivers), first) = (self.partners(sends), self.slots.next());
        let chunks = first..first + len.div_ceil(CHUNK) as u64;
        self.begin(number, chunks.clone(), &receivers);
        let mut next = if receivers.is_empty() { chunks.end } else { first };
        for (round, chunk) in chunks.clone().enumerate() {
            // As many ahead as there is room for.
            while next < chunks.end && (next <= chunk || self.reader(next).is_none()) {
                wait(|| self.reader(next).is_none());
                self.stage(next, number, ((next - first) as usize, len));
                next += 1;
            }
            for sender in &senders {
                self.read(*sender, chunk, number, (round, len));
                self.slots.acknowledge(*sender, chunk + 1);
            }
        }
    }

    /// Makes a move of a byte of each rank to each that it sends to, at the end of `count` slots.
    pub fn move_packed(&self, number: u64, count: u64, sends: impl Fn(usize, usize) -> bool) {
        let ((senders, receivers), here) = (self.partners(sends), self.slots.rank);
        let (span, end) = (self.slots.next_span(count), count as usize * CHUNK);
        let place = |to: usize| end - to - 1..end - to;
        for to in &receivers {
            wait(|| self.reader(span.end() - 1).is_none());
            // SAFETY: this rank has waited for its slots. Messages do not overlap, and each slice
            // is dropped at once.
            let room = unsafe { self.slots.room(span, place(*to)) };
            room.copy_from_slice(&array(here + *to, number, 1));
        }
        self.begin(number, span.first..span.end(), &receivers);
        self.slots.publish(span);
        for sender in senders {
            wait(|| self.slots.has(sender, span.end() - 1));
            // SAFETY: the sender has published the span. This rank acknowledges it later.
            let message = unsafe { self.slots.message(sender, span, place(here)) };
            assert_eq!(message, array(sender + here, number, 1));
            self.slots.touch(sender, span, |contents| contents.read());
            self.slots.acknowledge(sender, span.end());
        }
    }

    fn partners(&self, sends: impl Fn(usize, usize) -> bool) -> (Vec<usize>, Vec<usize>) {
        let (here, all) = (self.slots.rank, 0..self.calls.len());
        let senders = all.clone().filter(|rank| *rank != here && sends(*rank, here));
        let receivers = all.filter(|rank| *rank != here && sends(here, *rank));
        (senders.collect(), receivers.collect())
    }
}
