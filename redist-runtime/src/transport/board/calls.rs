//! The order of collective calls: all ranks of a group make the same calls in the same order.

use crate::transport::sync::atomic::{AtomicU64, Ordering};

/// Bits for the subject of a call; the upper bits number the calls of a rank.
const SUBJECT_BITS: u32 = 24;

/// Most subjects that a group has at a time.
pub const SUBJECTS: u64 = 1 << SUBJECT_BITS;

/// Calls of a rank. After the last number no call follows, so that no two calls have one number.
const CALLS: u64 = 1 << (u64::BITS - SUBJECT_BITS);

/// A collective call of one rank: its number among the rank's calls, and its subject.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollectiveCall(u64);

impl CollectiveCall {
    /// Call number `number` of a rank: a move of the channel with this subject, or, for 0, an
    /// exchange. No two channels that some rank has not dropped share a subject.
    pub fn new(number: u64, subject: u64) -> Self {
        assert!(number < CALLS && subject < SUBJECTS, "call {number} about {subject}");
        Self(number << SUBJECT_BITS | subject)
    }

    /// Returns the call after this one; `None` after the last number, because ranks compare numbers.
    pub fn next(self, subject: u64) -> Option<Self> {
        let number = self.number() + 1;
        (number < CALLS).then(|| Self::new(number, subject))
    }

    pub fn number(self) -> u64 {
        self.0 >> SUBJECT_BITS
    }

    /// Returns the channel's subject, or 0.
    #[cfg(feature = "mpi")]
    pub fn subject(self) -> u64 {
        self.0 & (SUBJECTS - 1)
    }

    /// Returns `true` if a rank whose last call is this one has made it in place of `other`,
    /// or has done its part in `other`.
    pub fn is_past(self, other: Self) -> bool {
        self != other && self.number() >= other.number()
    }
}

/// The last call of a rank, as other ranks read it.
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
        assert!(call(5, 0).is_past(call(5, SUBJECTS - 1)), "all subjects differ");
        assert!(call(6, 3).is_past(call(5, 3)) && !call(5, 3).is_past(call(6, 3)));
    }
}
