//! Models of a node that joins its messages: `loom` runs them in all orders.

use super::tests::{OneRank, PART_BYTES, RANKS, one_rank};
use crate::transport::sync::yield_now;
use crate::transport::tests::in_parts::{self, MemoryInParts};

#[test]
fn messages_are_read_when_they_are_there() {
    // SAFETY: all are made before a rank goes on. Threads of a model are one thread in truth, and
    // each keeps the memory.
    let make = |memory: &MemoryInParts, rank: usize| unsafe { one_rank(memory, rank) };
    in_parts::model(2, (RANKS, PART_BYTES), make, |one: &OneRank| {
        for number in 0..3 {
            one.exchange(number, &yield_now);
        }
    });
}
