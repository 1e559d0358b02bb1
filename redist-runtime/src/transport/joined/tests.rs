//! A node in ordinary memory, between ranks that are threads. The other node echoes its messages.

use super::{JoinedLayout, JoinedMemory, Place};
use crate::transport::ballots::tests::{Sum, ballots_at, words};
use crate::transport::ballots::{self, Ballots};
use crate::transport::nodes::Nodes;
#[cfg(not(loom))]
use crate::transport::tests::in_parts;
use crate::transport::tests::in_parts::MemoryInParts;
use std::cell::Cell;

pub const RANKS: usize = 2;

const BYTES: usize = 5;

pub const PART_BYTES: usize = 2 * ballots::PART_BYTES;

pub struct OneRank {
    memory: JoinedMemory,
    layout: JoinedLayout,
    ballots: Ballots<Sum>,
    rank: usize,
    /// Moves whose parcels this rank has put together, which its next vote carries.
    claimed: Cell<u64>,
}

/// # Safety
/// As for [`JoinedMemory::new`], with this in place of the parts.
pub unsafe fn one_rank(memory: &MemoryInParts, rank: usize) -> OneRank {
    let lowest: Vec<u64> =
        (0..2 * RANKS).map(|rank| if rank < RANKS { 0 } else { RANKS as u64 }).collect();
    let layout = JoinedLayout::new(&Nodes::new(&lowest), rank, &|_, _| BYTES, RANKS * BYTES);
    let most = PART_BYTES - ballots::PART_BYTES;
    assert!(layout.lens.iter().all(|len| JoinedMemory::part_bytes(*len).unwrap() <= most));
    // SAFETY: parts have as many bytes and begin with a page; the caller promises the rest.
    let ballots = unsafe { ballots_at(memory, rank) };
    let parts = memory.parts().iter().map(|part| part.wrapping_add(ballots::PART_BYTES)).collect();
    // SAFETY: behind the ballots parts have as many bytes, as asserted above, from a page on; the
    // caller promises the rest.
    let memory = unsafe { JoinedMemory::new(parts, layout.lens.clone(), rank) };
    OneRank { memory, layout, ballots, rank, claimed: Cell::new(0) }
}

fn value(from: usize, to: usize, number: u64) -> u8 {
    (from * 50 + to * 11 + number as usize * 3) as u8
}

impl OneRank {
    pub fn exchange(&self, number: u64, pause: &dyn Fn()) {
        let rank = self.rank;
        for to in 0..2 * RANKS {
            // SAFETY: this is one of the rank's messages. This rank saw at the end of the last move
            // that all had voted on it, when they had read all of the one before that.
            let room = unsafe { self.memory.room(number, self.layout.message(rank, to)) };
            room.fill(value(rank, to, number));
        }
        let vote = self.ballots.post(words(rank, self.claimed.get()));
        let mut sent = None;
        loop {
            if let Some(complete) = self.ballots.next_complete() {
                assert_eq!(complete, vote);
                if self.ballots.claim(complete) {
                    sent = Some(self.parcels(number));
                    self.claimed.set(self.claimed.get() + 1);
                }
                break;
            }
            pause();
        }
        for parcel in sent.iter().flatten() {
            assert_eq!(parcel.0, parcel.1);
        }
        for (from, place) in &self.layout.incoming {
            // Messages from the other node are not in this memory.
            let Place::Part(owner, bytes) = place else { continue };
            // SAFETY: all have voted, as waited for above, and this rank votes again only when it
            // has read all messages.
            let message = unsafe { self.memory.message(number, *owner, bytes.clone()) };
            assert_eq!(message, [value(*from, rank, number); BYTES]);
        }
        // One rank has put parcels together in each move before.
        assert_eq!(self.ballots.take(vote), Some(Sum(number)));
    }

    fn parcels(&self, number: u64) -> Vec<(Vec<u8>, Vec<u8>)> {
        let parcel = |to: usize| {
            let mut parcel = Vec::new();
            // SAFETY: all have voted, as the caller waited for, and this rank does not vote again
            // before it returns.
            unsafe { self.memory.copy_parcel(number, &self.layout, (to, 0), &mut parcel) };
            let expected = (0..RANKS).flat_map(|from| [value(from, to, number); BYTES]).collect();
            (parcel, expected)
        };
        (RANKS..2 * RANKS).map(parcel).collect()
    }
}

#[cfg(not(loom))]
#[test]
fn a_node_joins_its_messages() {
    // SAFETY: each rank makes this call once, and all have before one goes on.
    let make = |memory: &MemoryInParts, rank: usize| unsafe { one_rank(memory, rank) };
    in_parts::run((RANKS, PART_BYTES), make, |one: &OneRank| {
        (0..50).for_each(|number| one.exchange(number, &std::thread::yield_now));
    });
}
