//! Messages of later moves than the receiver's, kept until the receiver begins these moves.

use crate::transport::board::call_of;
use crate::transport::sync::lock;
use crate::transport::wire::Head;
use std::ffi::c_int;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering};

/// A whole message, or the head of a refusal, of a move that this rank has not come to.
#[derive(Debug)]
pub(super) struct EarlyMessage {
    /// Rank that sent it.
    pub from: usize,
    pub head: Head,
    /// Head and elements; empty for a refusal.
    pub bytes: Vec<u8>,
    /// It came with others of its node.
    pub is_parcel: bool,
}

/// Kept messages of a channel.
#[derive(Debug, Default)]
pub(super) struct Early {
    kept: Mutex<Vec<EarlyMessage>>,
    /// The tag of messages whose receives have begun last, which no other call may receive; 0 if none
    /// have.
    receiving: AtomicI32,
}

impl Early {
    pub fn keep(&self, message: EarlyMessage) {
        lock(&self.kept).push(message);
    }

    /// Takes a kept message of a move: from a rank, or a parcel from any.
    pub fn take(&self, from: Option<usize>, number: u64) -> Option<EarlyMessage> {
        let kept = &mut *lock(&self.kept);
        let is_it = |message: &EarlyMessage| {
            let is_from =
                from.map_or(message.is_parcel, |from| !message.is_parcel && message.from == from);
            is_from && message.head.number == number
        };
        kept.iter().position(is_it).map(|at| kept.swap_remove(at))
    }

    /// Drops the messages of calls before this one.
    pub fn forget_before(&self, call: u64) {
        lock(&self.kept).retain(|message| call_of(message.head.number).0 >= call);
    }

    /// Notes that receives with this tag have begun.
    pub fn receives(&self, tag: c_int) {
        self.receiving.store(tag, Ordering::Relaxed);
    }

    pub fn is_received(&self, tag: c_int) -> bool {
        self.receiving.load(Ordering::Relaxed) == tag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOVE_BITS: u32 = 24;

    fn message(from: usize, call: u64, is_parcel: bool) -> EarlyMessage {
        let head = Head { number: call << MOVE_BITS, ..Head::default() };
        EarlyMessage { from, head, bytes: Vec::new(), is_parcel }
    }

    #[test]
    fn messages_are_kept_for_their_move_alone() {
        let early = Early::default();
        for call in [5, 5 + 64, 5 + 128] {
            early.keep(message(2, call, false));
            early.keep(message(3, call, true));
        }
        let take = |from, call: u64| early.take(from, call << MOVE_BITS).map(|found| found.from);
        assert_eq!(take(Some(1), 69), None);
        assert_eq!(take(Some(3), 69), None, "it is a parcel");
        assert_eq!(take(None, 69), Some(3));
        assert_eq!(take(Some(2), 69), Some(2));
        assert_eq!(take(Some(2), 69), None, "it is taken");
        early.forget_before(6);
        assert_eq!((take(Some(2), 5), take(Some(2), 133)), (None, Some(2)));
    }
}
