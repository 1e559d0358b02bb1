//! Models of chunks in slots: the code of MPI processes, run by threads of `loom`, with two slots a
//! rank. `loom` sees each read and write of a slot.

use super::tests::packed::pack_all;
use super::tests::{CHUNK, chunks, element, move_all, move_or_pass, part_bytes, slots};
use super::{Showing, Slots, slot};
use crate::error::Error;
use crate::program::RankChunks;
use crate::transport::ballots::tests::{Sum, vote};
use crate::transport::ballots::{Ballots, PART_BYTES};
use crate::transport::tests::in_parts::{self, MemoryInParts};

/// Runs `body` on every rank. Chunks are planned once, for moves of as many rounds.
fn model(
    preemptions: usize,
    ranks: usize,
    rounds: &[usize],
    body: impl Fn(&Slots, &[Vec<RankChunks>]) + Send + Sync + 'static,
) {
    let moves = rounds.iter().map(|rounds| chunks(ranks, ranks * (rounds * CHUNK - 1)));
    let moves: Vec<_> = moves.collect();
    assert!(moves.iter().zip(rounds).all(|(all, rounds)| all[0].rounds() == *rounds));
    // SAFETY: all slots are made before a rank goes on. Threads of a model are one thread in truth,
    // and each keeps the memory.
    let make = |memory: &MemoryInParts, rank: usize| unsafe { slots(memory, rank) };
    in_parts::model(preemptions, (ranks, part_bytes()), make, move |slots| body(slots, &moves));
}

fn moves(slots: &Slots, all: &[RankChunks], number: usize) -> Result<(), Error> {
    let (first, mut showing) = (slots.done.get(), Showing::default());
    move_all(slots, &mut showing, all, number, |round| {
        // Returned chunks may be read until the next round.
        for rank in (0..all.len()).filter(|rank| *rank != slots.rank) {
            slots.progress(rank).contents[slot(first + round as u64)].read();
        }
    })
}

/// More chunks than slots, in successive moves.
#[test]
fn a_slot_is_written_to_when_all_have_copied_from_it() {
    model(2, 2, &[2, 1], |slots, all| {
        all.iter().enumerate().for_each(|(number, all)| moves(slots, all, number).unwrap());
    });
}

#[test]
fn all_slots_are_used_anew() {
    model(1, 2, &[4], |slots, all| moves(slots, &all[0], 0).unwrap());
}

#[test]
fn three_ranks_show_chunks() {
    model(0, 3, &[2], |slots, all| moves(slots, &all[0], 0).unwrap());
}

/// The first of the early chunks does not come.
#[test]
fn a_chunk_that_is_shown_early_is_read_or_passed() {
    model(1, 2, &[1], |slots, all| {
        let mut showing = Showing::default();
        for (number, comes) in [(0, false), (1, true), (2, true)] {
            let by = (number, comes);
            move_or_pass(slots, &mut showing, &all[0], by, || ()).unwrap();
        }
    });
}

/// A move that does not come, without waiting, lies between two in the same slot.
#[test]
fn packed_messages_are_read_before_their_slots_are_used_anew() {
    for early in [false, true] {
        model(2, 2, &[1], move |slots, _| {
            let mut showing = Showing::default();
            pack_all(slots, (0, 1), early, |_| false).unwrap();
            slots.pass(&mut showing, 1);
            pack_all(slots, (2, 1), early, |_| false).unwrap();
        });
    }
}

/// Ranks that see all packed messages in the votes wait for nothing else. More moves than slots.
#[test]
fn what_is_packed_is_seen_with_the_votes() {
    let before = part_bytes().next_multiple_of(64);
    // SAFETY: all are made before a rank goes on, the ballots in memory of their own behind the
    // slots. Threads of a model are one thread in truth, and each keeps the memory.
    let make = move |memory: &MemoryInParts, rank: usize| unsafe {
        let behind = memory.parts().iter().map(|part| part.wrapping_add(before)).collect();
        (slots(memory, rank), Ballots::<Sum>::new(behind, vec![0, 1], rank))
    };
    in_parts::model(2, (2, before + PART_BYTES), make, |(slots, ballots)| {
        for number in 0..3 {
            let meet = |has_packed: bool| 0 == vote(ballots, u64::from(!has_packed));
            pack_all(slots, (number, 1), true, meet).unwrap();
        }
    });
}

#[test]
fn packed_messages_and_chunks_take_turns() {
    model(1, 2, &[1], |slots, all| {
        let mut showing = Showing::default();
        move_or_pass(slots, &mut showing, &all[0], (0, true), || ()).unwrap();
        pack_all(slots, (1, 1), true, |_| false).unwrap();
        move_or_pass(slots, &mut showing, &all[0], (2, true), || ()).unwrap();
    });
}

/// Asks for some rounds, and leaves, as a panic does.
fn leave_after(rounds: usize, slots: &Slots, own: &RankChunks) -> Result<(), Error> {
    let mut showing = Showing::default();
    let result = (0..rounds).try_for_each(|_| {
        slots.next_round(&mut showing, &|| Ok(()), 1, &[0; 20], own).map(|chunks| {
            assert!(chunks.is_some());
        })
    });
    assert!(showing.end());
    slots.leave();
    result
}

/// No rank waits for ever for one that has left, and all name it, also by hearsay.
#[test]
fn a_rank_that_leaves_is_named() {
    model(2, 2, &[4], |slots, all| {
        let rounds = if slots.rank == 1 { 1 } else { 4 };
        let result = leave_after(rounds, slots, &all[0][slots.rank]);
        match result {
            Ok(()) if slots.rank == 1 => {}
            Err(Error::PeerFailed { rank: 1, .. }) if slots.rank == 0 => {}
            other => panic!("rank {}: {other:?}", slots.rank),
        }
        assert!(slots.was_left());
    });
}

/// A rank that leaves early goes on to the next moves, while another still reads its chunks.
#[test]
fn a_rank_that_has_left_shows_nothing_where_others_read() {
    model(2, 2, &[1], |slots, all| {
        if slots.rank == 0 {
            // It has all that it needs, or learns that the other has left.
            let _ = moves(slots, &all[0], 0);
            return;
        }
        let own = &all[0][1];
        let mut showing = Showing::default();
        let source = [element(1, 0, 0), element(1, 1, 0), element(1, 2, 0), element(1, 3, 0)];
        let shown = slots.next_round(&mut showing, &|| Ok(()), 1, &source, own);
        assert!(shown.is_ok_and(|chunks| chunks.is_some()) && showing.end());
        slots.leave();
        for _ in 0..3 {
            slots.show_early(&mut showing, 1, &[9; 4], &own.shown(0));
            slots.begin(1);
        }
    });
}

#[test]
fn of_three_ranks_the_first_to_leave_is_named() {
    model(0, 3, &[1], |slots, all| {
        if slots.rank == 1 {
            return slots.leave();
        }
        let result = leave_after(1, slots, &all[0][slots.rank]);
        assert!(matches!(result, Err(Error::PeerFailed { rank: 1, .. })), "{result:?}");
    });
}
