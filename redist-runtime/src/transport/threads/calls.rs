//! The order of collective calls: all ranks of a group make the same ones in the same order.

use crate::transport::sync::atomic::{AtomicU64, Ordering};

/// Bits for what a call is of; the others number the calls of a rank.
const SUBJECT_BITS: u32 = 24;

/// Calls of which it is not told any more which came first.
const HALF: u64 = 1 << (u64::BITS - SUBJECT_BITS - 1);

/// A collective call of one rank: its number among the rank's calls, and what it is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CollectiveCall(u64);

impl CollectiveCall {
    /// Call number `number` of a rank: a move of the channel that was opened by call `opened`, or,
    /// where that is 0, a meeting. Both count on from 0 again after very many calls.
    pub fn new(number: u64, opened: u64) -> Self {
        Self(number << SUBJECT_BITS | opened & ((1 << SUBJECT_BITS) - 1))
    }

    pub fn number(self) -> u64 {
        self.0 >> SUBJECT_BITS
    }

    /// Whether a rank that has begun this call last has made another one in place of `other`, or
    /// else has done all that the others wait for in `other`.
    pub fn is_past(self, other: Self) -> bool {
        self != other && (self.number().wrapping_sub(other.number()) & (2 * HALF - 1)) < HALF
    }
}

/// A call that a rank shows to the others.
#[derive(Debug, Default)]
pub(super) struct ShownCall(AtomicU64);

impl ShownCall {
    /// What the rank does after this is seen by those that see a later call.
    pub fn show(&self, call: CollectiveCall) {
        self.0.store(call.0, Ordering::Release);
    }

    pub fn get(&self) -> CollectiveCall {
        CollectiveCall(self.0.load(Ordering::Acquire))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_apart_and_ordered() {
        let call = CollectiveCall::new;
        assert!(!call(5, 2).is_past(call(5, 2)), "the same call");
        assert!(call(5, 2).is_past(call(5, 3)), "another in its place");
        assert!(call(6, 3).is_past(call(5, 3)) && !call(5, 3).is_past(call(6, 3)));
        let last = (1 << (u64::BITS - SUBJECT_BITS)) - 1;
        assert!(call(last + 1, 3).is_past(call(last, 3)), "numbers begin again");
        assert!(!call(last, 3).is_past(call(last + 1, 3)));
    }
}
