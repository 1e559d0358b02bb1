//! The order of collective calls: all ranks of a group make the same ones in the same order.

use crate::transport::sync::atomic::{AtomicU64, Ordering};

/// Bits for the subject of a call; the others number the calls of a rank.
const SUBJECT_BITS: u32 = 24;

/// Distance of calls from which their order is unknown.
const HALF: u64 = 1 << (u64::BITS - SUBJECT_BITS - 1);

/// A collective call of one rank: its number among the rank's calls, and its subject.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CollectiveCall(u64);

impl CollectiveCall {
    /// Call number `number` of a rank: a move of the channel that call `opened` opened, or, for 0,
    /// an exchange. Both numbers wrap after very many calls.
    pub fn new(number: u64, opened: u64) -> Self {
        Self(number << SUBJECT_BITS | opened & ((1 << SUBJECT_BITS) - 1))
    }

    pub fn number(self) -> u64 {
        self.0 >> SUBJECT_BITS
    }

    /// Returns `true` if a rank whose last call is this one has made another in place of `other`,
    /// or has done its part in `other`.
    pub fn is_past(self, other: Self) -> bool {
        self != other && (self.number().wrapping_sub(other.number()) & (2 * HALF - 1)) < HALF
    }
}

#[derive(Debug, Default)]
pub(super) struct ShownCall(AtomicU64);

impl ShownCall {
    /// Publishes a call. Ranks that see a later call also see all that precedes it.
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
