//! The reason of a rank that is not ready, in words that other ranks read, and the faults of messages
//! from other nodes, whose heads tell of it.

use super::misfit;
use crate::error::Error;
use crate::plan::Side;
use crate::transport::wire::Head;
/// The sort of error, and two numbers of 64 bits.
pub(super) use crate::transport::wire::REASON_WORDS;

pub(super) const ENDED: &str = "finalised MPI";
const PANICKED: &str = "a panic while it packed";

/// Sets every word to begin with the rank, so that the largest words of all votes are words of
/// one rank. Ranks are less than 2^31, so words are less than 2^63.
pub(super) fn blame(words: &mut [u64], rank: usize, parts: [u32; REASON_WORDS]) {
    for (word, part) in words.iter_mut().zip(parts) {
        *word = (rank as u64 + 1) << 32 | u64::from(part);
    }
}

/// Is added to the sort of a wrong length that fits the other side.
const EXCHANGED: u32 = 1 << 8;

pub(super) fn reason(error: &Error) -> [u32; REASON_WORDS] {
    let sort = |of_source: u32, side: Side, exchanged: bool| {
        of_source + side as u32 + if exchanged { EXCHANGED } else { 0 }
    };
    let (kind, numbers) = match error {
        Error::LocalLength { side, expected, found, exchanged, .. } => {
            (sort(1, *side, *exchanged), [*expected, *found])
        }
        Error::ForeignArray { side, .. } => (3 + *side as u32, [0; 2]),
        Error::RankEnded { .. } => (5, [0; 2]),
        Error::ShortArray { side, needed, found, exchanged, .. } => {
            (sort(6, *side, *exchanged), [*needed, *found])
        }
        Error::ArrayGaps { side, .. } => (8 + *side as u32, [0; 2]),
        Error::Batch { .. } => (12, [0; 2]),
        Error::Unavailable { .. } => (13, [0; 2]),
        Error::PeerFailed { reason, .. } if reason == PANICKED => (14, [0; 2]),
        _ => misfit::numbers(error).unwrap_or_default(),
    };
    let halves = |number: usize| [(number as u64 >> 32) as u32, number as u32];
    let [[a, b], [c, d]] = numbers.map(halves);
    [kind, a, b, c, d]
}

pub(super) fn read_reason(words: &[u64]) -> Option<(usize, String)> {
    let rank = usize::try_from(words[0] >> 32).ok()?.checked_sub(1)?;
    let number = |at: usize| {
        ((words[at] & u64::from(u32::MAX)) << 32 | words[at + 1] & u64::from(u32::MAX)) as usize
    };
    let (kind, expected, found) = (words[0] as u32, number(1), number(3));
    let (sort, exchanged) = (kind & !EXCHANGED, kind & EXCHANGED != 0);
    let side = |of_source: u32| if sort == of_source { Side::Source } else { Side::Destination };
    let reason = match sort {
        1 | 2 => Error::LocalLength { rank, side: side(1), expected, found, exchanged }.reason(),
        3 | 4 => Error::ForeignArray { rank, side: side(3) }.reason(),
        5 => ENDED.into(),
        6 | 7 => {
            Error::ShortArray { rank, side: side(6), needed: expected, found, exchanged }.reason()
        }
        8 | 9 => Error::ArrayGaps { rank, side: side(8) }.reason(),
        // The rank itself reports an error that has no room in a vote.
        12 => {
            "arrays of a batch are not those that its plans are for; this rank returns which".into()
        }
        13 => {
            "an argument of this rank is wrong, or its move cannot be had; it returns which".into()
        }
        14 => PANICKED.into(),
        _ => misfit::read(kind, [expected, found])
            .unwrap_or_else(|| "an error that this rank itself returns".into()),
    };
    Some((rank, reason))
}

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
    /// Returns the fault that the head of a message of this move tells of.
    pub fn of(head: Head) -> Option<Self> {
        (head.reason[0] != 0).then_some(Self::Refused(head.reason))
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

/// Returns the head of a rank that is not ready, in a message of one segment.
pub(super) fn refusing(number: u64, rank: usize, error: &Error) -> Head {
    let rank = match error {
        Error::PeerFailed { rank, reason } if reason != PANICKED => *rank,
        _ => rank,
    };
    let mut head = Head { number, segments: 1, ..Head::default() };
    blame(&mut head.reason, rank, reason(error));
    head
}

/// Returns the head of a rank that has panicked while it packed.
pub(super) fn panicked(number: u64, rank: usize) -> Head {
    refusing(number, rank, &Error::PeerFailed { rank, reason: PANICKED.into() })
}
