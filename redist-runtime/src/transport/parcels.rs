//! Counters of a parcel: messages of a node's ranks to one rank of another node, which they pack
//! into shared memory. The rank that packs last copies all of them, and sends the copy.

use super::sync::atomic::{AtomicU64, Ordering};
use std::mem::{align_of, size_of};

/// Moves with memory of their own: one is packed while the one before is copied.
pub const TURNS: usize = 2;

/// Bits of a counter for the ranks that have packed; the upper bits are the number of their call.
const COUNT_BITS: u32 = 20;

/// Counters before the bytes of a parcel, in one turn.
#[derive(Default)]
#[repr(C, align(64))]
pub struct Counters {
    /// The number of a call, and of the ranks that have packed in it.
    packed: AtomicU64,
    /// The last call whose parcel has been copied.
    gone: AtomicU64,
    /// Parcels that have been copied.
    copied: AtomicU64,
}

const _: () = assert!(size_of::<Counters>().is_multiple_of(align_of::<AtomicU64>()));

impl Counters {
    /// Returns `true` if the parcel of a call, or a later one, has been copied: this rank may pack.
    pub fn is_gone(&self, call: u64) -> bool {
        self.gone.load(Ordering::Acquire) >= call
    }

    /// Counts this rank, which has packed in a call. Returns `true` if it is the last of `ranks`:
    /// then it copies the parcel, and [notes](Self::note_gone) that.
    pub fn count(&self, call: u64, ranks: usize) -> bool {
        let next = |word: u64| match word >> COUNT_BITS {
            counted if counted < call => Some(call << COUNT_BITS | 1),
            counted if counted == call => Some(word + 1),
            // Others have given up the move that this rank is late for.
            _ => None,
        };
        let counted = self.packed.fetch_update(Ordering::AcqRel, Ordering::Acquire, next);
        let all = call << COUNT_BITS | ranks as u64;
        counted.is_ok_and(|before| next(before) == Some(all))
    }

    /// Publishes that the parcel of a call has been copied. Returns how many parcels the
    /// ranks had sent before it in both turns, computed from this turn's count.
    pub fn note_gone(&self, call: u64) -> u64 {
        // The next rank that copies one has seen the call below (acquire).
        let copied = self.copied.load(Ordering::Relaxed);
        self.copied.store(copied + 1, Ordering::Relaxed);
        self.gone.store(call, Ordering::Release);
        TURNS as u64 * copied + 1
    }
}

/// Models of ranks that pack parcels, run by threads of `loom`.
#[cfg(all(test, loom))]
mod models {
    use super::*;
    use crate::transport::sync::{Arc, Watched, yield_now};
    use crate::transport::threads::models::model;

    const RANKS: usize = 2;

    /// The memory of one turn of a gateway, as the model watches it.
    #[derive(Default)]
    struct Turn {
        counters: Counters,
        parts: [Watched; RANKS],
        is_sent: [AtomicU64; 4],
    }

    type Memory = Arc<[Turn; TURNS]>;

    fn ranks() -> Vec<(Memory, usize)> {
        let memory = Memory::default();
        (0..RANKS).map(|rank| (Arc::clone(&memory), rank)).collect()
    }

    /// Packs in a call, whose turn's last call of this rank is `before`, and copies if it is last.
    fn pack(memory: &Memory, rank: usize, call: u64, before: u64) {
        let turn = &memory[call as usize % TURNS];
        while !turn.counters.is_gone(before) {
            yield_now();
        }
        turn.parts[rank].write();
        if turn.counters.count(call, RANKS) {
            turn.parts.iter().for_each(Watched::read);
            turn.is_sent[call as usize].fetch_add(1, Ordering::Relaxed);
            turn.counters.note_gone(call);
        }
    }

    #[test]
    fn the_last_rank_copies_what_all_have_packed() {
        model(3, ranks, |(memory, rank)| pack(memory, *rank, 1, 0));
    }

    /// More moves than turns.
    #[test]
    fn memory_is_packed_anew_when_its_parcel_has_gone() {
        model(2, ranks, |(memory, rank)| {
            (1..4_u64).for_each(|call| pack(memory, *rank, call, call.saturating_sub(2)));
        });
    }

    /// A rank packs in a call that the second rank has no part in. Neither copies that parcel, and
    /// both copy the next one once.
    #[test]
    fn a_rank_that_takes_no_part_is_counted_in_no_other_call() {
        model(3, ranks, |(memory, rank)| {
            if *rank == 0 {
                memory[1].parts[0].write();
                assert!(!memory[1].counters.count(1, RANKS));
            }
            // Both know of that, so none waits for the first parcel to go.
            pack(memory, *rank, 3, 0);
            while !memory[1].counters.is_gone(3) {
                yield_now();
            }
            assert_eq!(memory[1].is_sent[3].load(Ordering::Relaxed), 1);
            assert_eq!(memory[1].is_sent[1].load(Ordering::Relaxed), 0);
        });
    }

    /// A rank counts itself in a call that the second rank has given up.
    #[test]
    fn a_late_rank_completes_no_parcel() {
        model(3, ranks, |(memory, rank)| {
            let turn = &memory[1].counters;
            assert!(!turn.count(if *rank == 0 { 1 } else { 3 }, RANKS));
        });
    }
}
