//! Receivers that a sender of chunks waits for: one thread plays all ranks.

use super::{CHUNK, MemoryInParts, OneRank, part_bytes};
use crate::cache::unfenced;
use crate::program::ShownChunk;
use crate::transport::slots::{Slots, StoreTimes, Stores};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub fn node<const RANKS: usize>() -> ([OneRank; RANKS], MemoryInParts) {
    let memory = MemoryInParts::new(RANKS, part_bytes(RANKS));
    // SAFETY: this makes the call once for each rank, and the caller keeps the memory for longer.
    (std::array::from_fn(|rank| unsafe { OneRank::new(&memory, rank) }), memory)
}

pub fn panics(expected: &str, of: impl FnOnce()) {
    let told = catch_unwind(AssertUnwindSafe(of)).expect_err(expected);
    assert_eq!(told.downcast_ref(), Some(&expected));
}

fn stage(one: &OneRank, chunks: Range<u64>) {
    for chunk in chunks {
        assert_eq!(one.reader(chunk), None, "chunk {chunk}");
        one.stage(chunk, 0, (0, CHUNK));
    }
}

#[test]
fn a_late_receiver_is_named() {
    let ([sender, first, second], _memory) = node();
    sender.begin(1, 0..20, &[1, 2]);
    stage(&sender, 0..8);
    // Acknowledgements for other senders do not count, nor those of ranks that do not receive.
    first.slots.acknowledge(2, 9);
    second.slots.acknowledge(1, 9);
    sender.slots.acknowledge(0, 9);
    assert_eq!(sender.reader(8), Some(1));
    first.slots.acknowledge(0, 1);
    assert_eq!(sender.reader(8), Some(2));
    second.slots.acknowledge(0, 3);
    stage(&sender, 8..9);
    assert_eq!([9, 11].map(|chunk| sender.reader(chunk)), [Some(1), Some(1)]);
    first.slots.acknowledge(0, 9);
    stage(&sender, 9..11);
    assert_eq!(sender.reader(11), Some(2));
}

#[test]
fn a_receiver_that_has_left_is_not_waited_for() {
    let ([sender, first, second], _memory) = node();
    sender.begin(1, 0..20, &[1, 2]);
    stage(&sender, 0..8);
    first.show_call(1);
    second.show_call(2);
    assert_eq!(sender.reader(8), Some(1));
    first.slots.acknowledge(0, 1);
    stage(&sender, 8..9);
    assert_eq!(sender.reader(9), Some(1));
    first.show_call(2);
    stage(&sender, 9..20);
    // Both may read chunks of the call that they make now.
    sender.begin(2, 20..40, &[1, 2]);
    stage(&sender, 20..28);
    assert!(sender.reader(28).is_some());
    [first, second].iter().for_each(|receiver| receiver.slots.acknowledge(0, 21));
    stage(&sender, 28..29);
}

/// Receivers of no chunk do not count, either. Moves that none reads take no memory.
#[test]
fn a_sender_without_receivers_never_waits() {
    let ([sender, _receiver], _memory) = node();
    for number in 0..10 {
        sender.begin(2 * number, 9 * number..9 * number, &[1]);
        sender.begin(2 * number + 1, 9 * number..9 * number + 9, &[]);
        assert_eq!(sender.slots.uses.borrow().len(), 1);
    }
    stage(&sender, 0..90);
}

#[test]
fn each_move_in_flight_waits_for_its_receivers() {
    let ([sender, first, second], _memory) = node();
    sender.begin(1, 0..2, &[1]);
    sender.begin(2, 2..4, &[2]);
    sender.begin(3, 4..7, &[1, 2]);
    sender.begin(4, 7..20, &[2]);
    let steps = [(8, &first, 2), (10, &second, 5), (12, &first, 7), (13, &second, 8)];
    let mut staged = 0;
    for (end, late, acknowledged) in steps {
        stage(&sender, staged..end);
        staged = end;
        assert_eq!(sender.reader(end), Some(late.slots.rank), "chunk {end}");
        late.slots.acknowledge(0, acknowledged);
    }
    stage(&sender, 13..16);
    assert_eq!(sender.reader(16), Some(2));
}

#[test]
fn chunks_go_past_the_caches_where_the_first_rank_says_so() {
    const LONG: usize = 4096;
    let memory = MemoryInParts::new(2, Slots::part_bytes(LONG, 2));
    // SAFETY: this makes the call once for each rank, and the memory outlives both.
    let [first, second] = [0, 1].map(|rank| unsafe { Slots::new(LONG, memory.parts(), rank) });
    let mut learnt = StoreTimes::default();
    let decided = [(100, Stores::Streamed), (3, Stores::Cached), (100, Stores::Cached)];
    for (chunk, (rounds, stores)) in (0..).zip(decided) {
        first.decide(&learnt, rounds);
        second.decide(&StoreTimes::default(), rounds);
        assert_eq!([&first, &second].map(|slots| slots.stores(rounds)), [stores; 2]);
        learnt.begin(stores, rounds);
        let shown = ShownChunk { number: 7, elements: 0..LONG, read: 1..LONG };
        first.stage(chunk, 1, &[5; LONG], &shown, stores);
        learnt.learn();
        // Whole lines, by 16 bytes each, with a fence.
        let streamed = if stores == Stores::Streamed { (LONG - 64) / 16 } else { 0 };
        assert_eq!(unfenced::take(), (streamed, 0));
        // SAFETY: this thread has published the chunk, and stages no other in its slot.
        let (number, bytes) = unsafe { second.shown(0, chunk) };
        assert_eq!((number, bytes), (7, &[&[0], &[5; LONG - 1][..]].concat()[..]));
    }
}

#[test]
fn slots_that_may_be_read_are_not_written_to() {
    let ([sender, _receiver], _memory) = node();
    let long = ShownChunk { number: 0, elements: 0..CHUNK + 1, read: 0..0 };
    let stage_long = || sender.slots.stage(0, 1, &[], &long, Stores::Cached);
    panics("a chunk longer than its slot", stage_long);
    sender.begin(1, 0..8, &[1]);
    stage(&sender, 0..8);
    panics("slots that are published", || sender.stage(7, 0, (0, CHUNK)));
    panics("chunks are numbered in their order", || sender.begin(2, 7..9, &[1]));
    panics("slots whose old content may be read", || sender.stage(8, 0, (0, CHUNK)));
    sender.slots.keep(|_| false);
    stage(&sender, 8..16);
    panics("a chunk a ring of slots beyond the next", || _ = sender.reader(16));
}
