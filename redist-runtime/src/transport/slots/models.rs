//! Models of chunks in slots: the code of MPI processes, run by threads of `loom`, with two slots a
//! rank. `loom` sees each read and write of a slot.

use super::tests::{CHUNK, node};
use crate::transport::threads::models::model;

const TO_ALL: fn(usize, usize) -> bool = |_, _| true;
const OF_FIRST: fn(usize, usize) -> bool = |from, _| from == 0;

/// Twice as many chunks as slots, in two moves.
#[test]
fn a_slot_is_written_to_when_its_receiver_has_acknowledged() {
    model(
        2,
        || node(2),
        |one| {
            one.move_chunks(1, 3 * CHUNK - 1, OF_FIRST);
            one.move_chunks(2, 1, OF_FIRST);
        },
    );
}

#[test]
fn chunks_go_both_ways_at_once() {
    model(2, || node(2), |one| one.move_chunks(1, 3 * CHUNK, TO_ALL));
}

#[test]
fn a_slot_is_written_to_when_both_receivers_have_acknowledged() {
    model(0, || node(3), |one| one.move_chunks(1, 3 * CHUNK, OF_FIRST));
}

/// More moves than slots.
#[test]
fn packed_messages_are_read_before_their_slots_are_used_anew() {
    for sends in [OF_FIRST, TO_ALL] {
        model(
            2,
            || node(2),
            move |one| {
                (1..4).for_each(|number| one.move_packed(number, 1, sends));
            },
        );
    }
}

#[test]
fn packed_messages_and_chunks_take_turns() {
    model(
        2,
        || node(2),
        |one| {
            one.move_chunks(1, 2, TO_ALL);
            one.move_packed(2, 1, TO_ALL);
            one.move_chunks(3, 2, TO_ALL);
        },
    );
}

/// The receiver reads some chunks, acknowledges none, and takes part in the next move again.
#[test]
fn a_receiver_that_leaves_is_not_waited_for() {
    let len = 3 * CHUNK;
    for read in [0, 1, 2] {
        model(
            2,
            || node(2),
            move |one| {
                if one.slots.rank == 0 {
                    one.move_chunks(1, len, OF_FIRST);
                } else {
                    one.begin(1, 0..3, &[]);
                    for round in 0..read {
                        one.read(0, round as u64, 1, (round, len));
                    }
                }
                one.move_chunks(2, 1, TO_ALL);
            },
        );
    }
}
