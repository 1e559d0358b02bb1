//! Packed messages, also in turn with chunks.

use super::chunks::{node, panics};
use super::{CHUNK, MemoryInParts, OneRank, Span, part_bytes};
use crate::transport::tests::in_parts;

#[test]
fn chunks_and_packed_messages_arrive_in_order_and_whole() {
    for ranks in [2, 3] {
        // SAFETY: every rank makes this call once, and waits for the others; the memory outlives
        // them.
        let make = |memory: &MemoryInParts, rank| unsafe { OneRank::new(memory, rank) };
        in_parts::run((ranks, part_bytes(ranks)), make, |one| {
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
        });
    }
}

/// Slots at the end of the ring stay unused, and at most half of the ring is filled.
#[test]
fn packed_messages_lie_together() {
    let ([sender], _memory) = node();
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
    let ([sender, receiver], _memory) = node();
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
