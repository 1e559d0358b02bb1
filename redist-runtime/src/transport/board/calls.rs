//! The order of collective calls: all ranks of a group make the same ones in the same order.

use crate::transport::sync::atomic::{AtomicU64, Ordering};

/// Bits for the subject of a call; the others number the calls of a rank.
const SUBJECT_BITS: u32 = 24;

const CALLS: u64 = 1 << (u64::BITS - SUBJECT_BITS);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollectiveCall(u64);

impl CollectiveCall {
    /// Call number `number` of a rank: a move of the channel that call `opened` opened, or, for 0,
    /// an exchange. `opened` wraps after very many calls.
    pub fn new(number: u64, opened: u64) -> Self {
        Self(number << SUBJECT_BITS | opened & ((1 << SUBJECT_BITS) - 1))
    }

    /// Returns the call after this one; `None` after the last number, because ranks compare numbers.
    pub fn next(self, opened: u64) -> Option<Self> {
        let number = self.number() + 1;
        (number < CALLS).then(|| Self::new(number, opened))
    }

    pub fn number(self) -> u64 {
        self.0 >> SUBJECT_BITS
    }

    /// Returns a number less than 2^54 that two different calls of a number seldom share.
    #[cfg(feature = "mpi")]
    pub fn subject(self) -> u64 {
        self.number() << 14 | self.0 & ((1 << 14) - 1)
    }

    /// Returns `true` if a rank whose last call is this one has made another in place of `other`,
    /// or has done its part in `other`.
    pub fn is_past(self, other: Self) -> bool {
        self != other && self.number() >= other.number()
    }
}

#[derive(Debug, Default)]
pub struct ShownCall(AtomicU64);

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

    /// Numbers that began again would let a rank take old marks for new ones.
    #[test]
    fn no_call_follows_the_last_number() {
        let last = CALLS - 1;
        let before = CollectiveCall::new(last - 1, 3);
        assert_eq!(before.next(4), Some(CollectiveCall::new(last, 4)));
        assert_eq!(CollectiveCall::new(last, 4).next(4), None);
    }

    #[test]
    fn calls_are_told_apart_and_ordered() {
        let call = CollectiveCall::new;
        assert!(!call(5, 2).is_past(call(5, 2)), "the same call");
        assert!(call(5, 2).is_past(call(5, 3)), "another in its place");
        assert!(call(6, 3).is_past(call(5, 3)) && !call(5, 3).is_past(call(6, 3)));
    }
}
