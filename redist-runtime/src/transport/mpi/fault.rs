//! The faults of messages from other nodes, and the heads that tell of them.

use super::reason::{ENDED, PANICKED, REASON_WORDS, blame, read_reason, reason};
use crate::error::Error;
use crate::transport::wire::Head;

/// A message has not come as it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// A segment had another length than it should.
    Short,
    Refused([u64; REASON_WORDS]),
    /// The rank takes no part in the call, and has made another one.
    OtherCall,
    /// The rank takes no part in the call, and has ended.
    Ended,
}

impl Fault {
    /// Returns the fault that a head tells of, in a move of this call.
    pub fn of(head: Head, call: u64) -> Option<Self> {
        match head.reason[0] {
            0 => (head.call != call).then_some(Self::OtherCall),
            _ => Some(Self::Refused(head.reason)),
        }
    }

    /// Returns the error of rank `here`, which receives from a rank.
    pub fn error(self, rank: usize, here: usize) -> Error {
        match self {
            Self::Short => Error::PeerFailed { rank, reason: PANICKED.into() },
            Self::Refused(words) => match read_reason(&words) {
                Some((rank, reason)) => Error::PeerFailed { rank, reason },
                None => Error::Unreadable { here, reason: format!("a head of rank {rank}") },
            },
            Self::Ended => Error::RankEnded { rank, how: ENDED.into(), here },
            Self::OtherCall => Error::DifferentMoves { rank: here },
        }
    }
}

/// Returns the head of a rank that is not ready.
pub(super) fn refusing(call: u64, rank: usize, error: &Error) -> Head {
    let rank = if let Error::PeerFailed { rank, reason } = error
        && reason != PANICKED
    {
        *rank
    } else {
        rank
    };
    let mut head = Head { call, ..Head::default() };
    blame(&mut head.reason, rank, reason(error));
    head
}
