//! Receivers that a sender waits for: one thread plays all ranks, but for the test of whole moves.

use super::{CHUNK, OneRank, Span, in_parts};
use crate::cache::{Stores, unfenced};
use crate::program::ShownChunk;
use crate::transport::slots::{SLOTS, Slots};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn node<const RANKS: usize>() -> [OneRank; RANKS] {
    super::node(RANKS).try_into().ok().expect("as many ranks")
}

fn panics(expected: &str, of: impl FnOnce()) {
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
    let [sender, first, second] = node();
    sender.begin(1, 0..20, &[1, 2]);
    stage(&sender, 0..8);
    // Acknowledgements for other senders do not count, nor acknowledgements of ranks that do not
    // receive.
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
    let [sender, first, second] = node();
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
    let [sender, _receiver] = node();
    for number in 0..10 {
        sender.begin(2 * number, 9 * number..9 * number, &[1]);
        sender.begin(2 * number + 1, 9 * number..9 * number + 9, &[]);
        assert_eq!(sender.slots.uses.borrow().len(), 1);
    }
    stage(&sender, 0..90);
}

#[test]
fn each_move_in_flight_waits_for_its_receivers() {
    let [sender, first, second] = node();
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
    let (parts, _memory) = in_parts(2, Slots::part_bytes((SLOTS, LONG), 2));
    // SAFETY: this makes the call once for each rank, and the memory outlives both.
    let [first, second] =
        [0, 1].map(|rank| unsafe { Slots::new((SLOTS, LONG), parts.clone(), rank) });
    // By number of the way, in as many rounds.
    let decided = [(1, 100), (0, 100), (3, 3), (3, 100), (2, 4)];
    let expected = [Stores::Streamed, Stores::Cached, Stores::Cached, Stores::Streamed];
    let expected = expected.into_iter().chain([Stores::Cached]);
    for (chunk, ((way, rounds), stores)) in (0..).zip(decided.into_iter().zip(expected)) {
        first.decide(way, rounds);
        second.decide(0, rounds);
        let found = [&first, &second].map(|slots| slots.stores(rounds).chunks);
        assert_eq!(found, [stores; 2]);
        let shown = ShownChunk { number: 7, elements: 0..LONG };
        first.stage(chunk, (1, stores), &[5; LONG], &shown, |part| {
            part(1..1024);
            part(1088..LONG);
        });
        // Whole lines, by 16 bytes each, with a fence.
        let streamed = if stores == Stores::Streamed { (LONG - 128) / 16 } else { 0 };
        assert_eq!(unfenced::take(), (streamed, 0));
        // SAFETY: this thread has published the chunk, and stages no other in its slot.
        let (number, bytes) = unsafe { second.shown(0, chunk) };
        let parts = [&[0][..], &[5; 1023], &[0; 64], &[5; LONG - 1088]];
        assert_eq!((number, bytes), (7, &parts.concat()[..]));
    }
}

#[test]
fn slots_that_may_be_read_are_not_written_to() {
    let [sender, _receiver] = node();
    let stored = (1, Stores::Cached);
    let long = ShownChunk { number: 0, elements: 0..CHUNK + 1 };
    panics("a chunk longer than its slot", || sender.slots.stage(0, stored, &[], &long, |_| ()));
    sender.begin(1, 0..8, &[1]);
    let short = ShownChunk { number: 0, elements: 0..1 };
    let too_much = || sender.slots.stage(0, stored, &[0; 2], &short, |part| part(0..2));
    panics("elements outside of their chunk", too_much);
    stage(&sender, 0..8);
    panics("slots that are published", || sender.stage(7, 0, (0, CHUNK)));
    panics("chunks are numbered in their order", || sender.begin(2, 7..9, &[1]));
    panics("slots whose old content may be read", || sender.stage(8, 0, (0, CHUNK)));
    sender.slots.keep(|_| false);
    stage(&sender, 8..16);
    panics("a chunk a ring of slots beyond the next", || _ = sender.reader(16));
}

#[test]
fn chunks_and_packed_messages_arrive_in_order_and_whole() {
    for ranks in [2, 3] {
        let moves = |one: OneRank| {
            for number in 1..400 {
                let turn = number as usize % 7;
                let sends = |from: usize, to: usize| match number % 4 {
                    0 => to == (from + 1) % ranks,
                    1 => from == number as usize % ranks,
                    _ => true,
                };
                match [40, 1, 0, 200].get(turn) {
                    Some(len) => one.move_chunks(number, *len, sends),
                    None => one.move_packed(number, turn as u64 - 2, sends),
                }
            }
        };
        std::thread::scope(|scope| {
            super::node(ranks).into_iter().for_each(|one| _ = scope.spawn(|| moves(one)));
        });
    }
}

/// Slots at the end of the ring stay unused, and at most half of the ring is filled.
#[test]
fn packed_messages_lie_together() {
    let [sender] = node();
    assert_eq!(sender.slots.most_packed(), 4 * CHUNK);
    let lens = [0, 1, CHUNK, CHUNK + 1, 4 * CHUNK];
    assert_eq!(lens.map(|len| sender.slots.slots_for(len)), [1, 1, 1, 2, 4]);
    let spans = [(3, 0), (3, 3), (3, 8), (1, 11), (4, 12), (4, 16), (2, 20)];
    for (number, (count, first)) in (1..).zip(spans) {
        assert_eq!(sender.slots.next_span(count), Span { first, count });
        sender.begin(number, first..first + count, &[]);
    }
}

#[test]
fn a_span_behind_the_end_of_the_ring_waits_for_its_slots() {
    let [sender, receiver] = node();
    for (number, first) in [(1, 0), (2, 3)] {
        sender.begin(number, first..first + 3, &[1]);
        sender.slots.publish(three(first));
    }
    let span = sender.slots.next_span(3);
    assert_eq!((span, sender.reader(10)), (three(8), Some(1)));
    // SAFETY: the slice is dropped at once, and no rank reads the slots. Else it panics before.
    let room = |span| _ = unsafe { sender.slots.room(span, 8..9) };
    panics("slots that are published", || room(three(3)));
    panics("slots that are published", || sender.slots.publish(three(3)));
    panics("slots whose old content may be read", || room(span));
    receiver.slots.acknowledge(0, 3);
    assert_eq!(sender.reader(10), None);
    room(span);
    sender.begin(3, 8..11, &[1]);
    sender.slots.publish(span);
    // The two slots that were skipped are no one's.
    assert_eq!([11, 13].map(|chunk| sender.reader(chunk)), [Some(1), Some(1)]);
    receiver.slots.acknowledge(0, 6);
    assert_eq!([11, 15, 16].map(|chunk| sender.reader(chunk)), [None, None, Some(1)]);
}

fn three(first: u64) -> Span {
    Span { first, count: 3 }
}
