//! Slots in ordinary memory, between ranks that are threads.

pub mod packed;

use super::{Showing, Slots, Stores};
#[cfg(all(not(loom), target_arch = "x86_64"))]
use crate::cache::unfenced;
use crate::error::Error;
use crate::plan::{AnyPlan, Plan, Side};
use crate::program::{Chunks, Program, RankChunks, ShownChunk};
#[cfg(not(loom))]
use crate::transport::tests::in_parts;
use crate::transport::tests::in_parts::MemoryInParts;
#[cfg(not(loom))]
use std::sync::atomic::{AtomicUsize, Ordering};

/// Elements of a chunk, and bytes of a slot.
pub const CHUNK: usize = 3;

pub fn part_bytes() -> usize {
    Slots::part_bytes(CHUNK)
}

/// # Safety
/// As for [`Slots::new`], with this in place of the memory.
pub unsafe fn slots(memory: &MemoryInParts, rank: usize) -> Slots {
    // SAFETY: parts have `part_bytes` bytes and begin with a page; the caller promises the rest.
    unsafe { Slots::new(CHUNK, memory.parts(), rank) }
}

pub fn element(rank: usize, index: usize, number: usize) -> u8 {
    (rank * 89 + index * 7 + number * 31) as u8
}

pub fn chunks(ranks: usize, len: usize) -> Vec<RankChunks> {
    chunks_of(CHUNK, ranks, len)
}

fn chunks_of(longest: usize, ranks: usize, len: usize) -> Vec<RankChunks> {
    let (from, to) = (format!("block onto {ranks}"), format!("cyclic onto {ranks}"));
    let plan = AnyPlan::from(Plan::parse([len], &from, &to).unwrap());
    let chunks = Chunks::new(&plan, longest);
    let of = |rank| chunks.of_rank(&plan, &Program::new(&plan, &[], Side::Source, rank), rank);
    (0..ranks).map(of).collect()
}

/// Makes a move and checks each chunk; calls `look` with the round while they may be read.
pub fn move_all(
    slots: &Slots,
    showing: &mut Showing,
    all: &[RankChunks],
    number: usize,
    mut look: impl FnMut(usize),
) -> Result<(), Error> {
    let own = &all[slots.rank];
    let end = (0..own.rounds()).map(|round| own.elements(round).end).max().unwrap_or(0);
    let source: Vec<u8> = (0..end).map(|index| element(slots.rank, index, number)).collect();
    let mut round = 0;
    while let Some(chunks) = slots.next_round(showing, &|| Ok(()), 1, &source, own)? {
        look(round);
        for (rank, chunk) in chunks.iter().enumerate().filter(|(rank, _)| *rank != slots.rank) {
            let shown = all[rank].shown(round);
            assert_eq!((chunk.number, chunk.bytes.len()), (shown.number, shown.elements.len()));
            let first = shown.elements.start;
            let read = &chunk.bytes[shown.read.start - first..shown.read.end - first];
            let expected = shown.read.map(|index| element(rank, index, number));
            assert!(read.iter().copied().eq(expected), "of round {round} of rank {rank}");
        }
        round += 1;
    }
    assert_eq!(round, own.rounds());
    Ok(())
}

pub fn move_or_pass(
    slots: &Slots,
    showing: &mut Showing,
    all: &[RankChunks],
    (number, comes): (usize, bool),
    meet: impl FnOnce(),
) -> Result<(), Error> {
    let own = &all[slots.rank];
    let only = own.shown(0);
    let source: Vec<u8> =
        (0..only.elements.end).map(|index| element(slots.rank, index, number)).collect();
    slots.show_early(showing, 1, &source, &only);
    meet();
    if comes {
        return move_all(slots, showing, all, number, |_| ());
    }
    slots.pass(showing, 1);
    Ok(())
}

#[cfg(not(loom))]
fn run(ranks: usize, body: impl Fn(&Slots) + Sync) {
    // SAFETY: every rank makes this call once, and waits for the others; the memory outlives them.
    let make = |memory: &MemoryInParts, rank: usize| unsafe { slots(memory, rank) };
    in_parts::run((ranks, part_bytes()), make, body);
}

#[cfg(not(loom))]
#[test]
fn chunks_are_as_they_were_shown() {
    for ranks in 1..5 {
        let lens = [0, 1, 40, 200, 333];
        let moves = lens.map(|len| chunks(ranks, len));
        run(ranks, |slots| {
            let mut showing = Showing::default();
            for (number, all) in moves.iter().cycle().take(40).enumerate() {
                // Ranks read now fast, now slowly.
                let look = |round: usize| {
                    if (round + number + slots.rank).is_multiple_of(7) {
                        std::thread::yield_now();
                    }
                };
                move_all(slots, &mut showing, all, number, look).unwrap();
            }
        });
    }
}

/// Every other of the first moves stores past the caches, on all ranks, with a fence.
#[cfg(all(not(loom), target_arch = "x86_64"))]
#[test]
fn chunks_go_past_the_caches_where_the_first_rank_says_so() {
    const LONG: usize = 4096;
    let all = chunks_of(LONG, 2, 40 * LONG);
    let (all_meet, streamed) = (std::sync::Barrier::new(2), AtomicUsize::new(0));
    // SAFETY: every rank makes this call once, and waits for the others; the memory outlives them.
    let make = |memory: &MemoryInParts, rank| unsafe { Slots::new(LONG, memory.parts(), rank) };
    in_parts::run((2, Slots::part_bytes(LONG)), make, |slots| {
        let mut showing = Showing::default();
        for number in 0..4 {
            slots.decide(&showing, all[0].rounds());
            all_meet.wait();
            let look = |_| {
                let (fenced, without) = unfenced::take();
                assert!(without == 0 && (fenced == 0 || number % 2 == 0), "{fenced}, {without}");
                streamed.fetch_add(fenced, Ordering::Relaxed);
            };
            move_all(slots, &mut showing, &all, number, look).unwrap();
        }
    });
    // Whole lines of the array, in two moves, by 16 bytes each: others read every other element.
    let most = 2 * 40 * LONG / 16;
    let streamed = streamed.into_inner();
    assert!((most * 9 / 10..=most).contains(&streamed), "{streamed} of {most} stores");
}

/// All ranks name the one that left, even those that learn of it indirectly.
#[cfg(not(loom))]
#[test]
fn the_rank_that_left_first_is_named() {
    let (all, told) = (chunks(4, 400), AtomicUsize::new(0));
    run(4, |slots| {
        let mut showing = Showing::default();
        if slots.rank == 2 {
            let source = [0; 100];
            for _ in 0..5 {
                slots.next_round(&mut showing, &|| Ok(()), 1, &source, &all[2]).unwrap();
            }
        } else {
            let error = move_all_of(slots, &mut showing, &all).unwrap_err();
            assert!(matches!(error, Error::PeerFailed { rank: 2, .. }), "{error}");
            told.fetch_add(1, Ordering::Relaxed);
        }
        assert!(showing.end() && !slots.was_left());
        slots.leave();
        assert!(slots.was_left());
    });
    assert_eq!(told.into_inner(), 3);
}

#[cfg(not(loom))]
fn move_all_of(slots: &Slots, showing: &mut Showing, all: &[RankChunks]) -> Result<(), Error> {
    let source = [0; 100];
    while slots.next_round(showing, &|| Ok(()), 1, &source, &all[slots.rank])?.is_some() {}
    Ok(())
}

/// A waiting rank does other work, and fails with its error.
#[cfg(not(loom))]
#[test]
fn a_rank_that_waits_makes_progress() {
    let (all, calls) = (chunks(2, 20), AtomicUsize::new(0));
    run(2, |slots| {
        if slots.rank == 1 {
            return;
        }
        let own = Error::TooFewRanks { needed: 9, size: 2 };
        let progress = || match calls.fetch_add(1, Ordering::Relaxed) {
            0..3 => Ok(()),
            _ => Err(own.clone()),
        };
        let mut showing = Showing::default();
        let told = slots.next_round(&mut showing, &progress, 1, &[0; 10], &all[0]).unwrap_err();
        assert_eq!(told, own);
    });
    assert_eq!(calls.into_inner(), 4);
}

/// Moves of one chunk, called off or not, alternate with longer ones; rank 1 passes some without
/// publishing, as one that only starts a move.
#[cfg(not(loom))]
#[test]
fn a_chunk_may_be_shown_before_it_is_known_that_it_comes() {
    let (short, long) = (chunks(3, 3 * CHUNK), chunks(3, 70));
    assert_eq!((short[0].rounds(), long[0].rounds() > 1), (1, true));
    let all_meet = std::sync::Barrier::new(3);
    run(3, |slots| {
        let mut showing = Showing::default();
        for number in 0..60 {
            let (meet, comes) = (|| _ = all_meet.wait(), number % 3 != 1);
            if number % 5 == 4 {
                move_all(slots, &mut showing, &long, number, |_| ()).unwrap();
            } else if !comes && slots.rank == 1 {
                slots.pass(&mut showing, 1);
                meet();
            } else {
                move_or_pass(slots, &mut showing, &short, (number, comes), meet).unwrap();
            }
        }
    });
}

#[cfg(not(loom))]
#[test]
fn what_was_shown_stays_when_its_rank_has_left() {
    let all = chunks(2, 2 * CHUNK);
    let (all_have_shown, one_has_left) = (std::sync::Barrier::new(2), std::sync::Barrier::new(2));
    run(2, |slots| {
        let (own, mut showing) = (&all[slots.rank], Showing::default());
        let source: Vec<u8> =
            (0..own.elements(0).end).map(|index| element(slots.rank, index, 0)).collect();
        let shown = slots.next_round(&mut showing, &|| Ok(()), 1, &source, own);
        let theirs = shown.unwrap().unwrap()[1 - slots.rank].bytes;
        all_have_shown.wait();
        if slots.rank == 1 {
            assert!(showing.end());
            slots.leave();
            let other = vec![9; source.len()];
            slots.show_early(&mut showing, 1, &other, &own.shown(0));
            one_has_left.wait();
        } else {
            one_has_left.wait();
            // Of 3..6, rank 1 keeps the first and the last.
            assert_eq!((all[1].shown(0).read, theirs[1]), (1..2, element(1, 1, 0)));
        }
    });
}

#[cfg(not(loom))]
#[test]
#[should_panic(expected = "a chunk longer than its slot")]
fn a_chunk_fits_its_slot() {
    let memory = MemoryInParts::new(2, part_bytes());
    let all = 0..CHUNK + 1;
    let shown = ShownChunk { number: 0, elements: all.clone(), read: all };
    // SAFETY: there is one rank that makes the call, and the memory outlives the slots.
    unsafe { slots(&memory, 0) }.stage(0, 1, &[0; CHUNK + 1], &shown, Stores::Cached);
}
