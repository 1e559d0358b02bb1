//! Numbers and bytes that ranks exchange before anything moves, read without trust: another rank
//! may run another program. Everything here is a function of the received data, which bounds every
//! length before it allocates, and is fuzzed.

mod head;
mod preflight;

pub use head::HEAD_BYTES;
#[cfg(any(feature = "mpi", fuzzing))]
pub use head::{Head, REASON_WORDS};
#[cfg(any(feature = "mpi", fuzzing))]
pub use preflight::{
    HEAD as PREFLIGHT_WORDS, Subject, Verdict, array_head, body, head, read_array_head, read_body,
    read_head,
};

use crate::error::Error;

/// The version of the data between ranks, whatever the release. It covers the words below, the
/// texts of coupled programs, the cutting and tagging of messages and chunks, and the tiles that
/// divide shared arrays. It counts up with every change to one of these; `exec/direct/tests.rs`
/// has digests of the division into chunks and tiles. The data that finds out versions never
/// changes. It is the first reduction on a communicator, the first two words of a preflight and of a
/// merger, and the first line of a handshake.
pub const VERSION: u64 = 11;

/// An error in received data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// It has another version of the wire format.
    #[error("it is of version {theirs} of the wire format, and this program speaks {ours}")]
    OtherVersion { theirs: u64, ours: u64 },
    /// It has more bytes, words or ranks than anything that is sent.
    #[error("it says that it has {found} {of}, more than {most}, the most there may be")]
    TooLong { of: &'static str, found: u64, most: usize },
    /// It does not belong in this place.
    #[error("{0}")]
    Malformed(String),
}

impl WireError {
    /// Returns the error of a rank that has found it.
    pub fn told_by(self, here: usize) -> Error {
        match self {
            WireError::OtherVersion { theirs, ours } => Error::DifferentWire { here, ours, theirs },
            error => Error::Unreadable { here, reason: error.to_string() },
        }
    }
}

/// Checks that all ranks speak this version, by the least of all versions and complements.
pub fn same_version(least: u64, least_complement: u64) -> Result<(), WireError> {
    let ours = VERSION;
    match [least, !least_complement].into_iter().find(|version| *version != ours) {
        Some(theirs) => Err(WireError::OtherVersion { theirs, ours }),
        None => Ok(()),
    }
}

pub fn version_words() -> [u64; 2] {
    [VERSION, !VERSION]
}

/// Returns a number from another rank; fails if it is more than `most`.
pub fn at_most(of: &'static str, found: u64, most: usize) -> Result<usize, WireError> {
    match usize::try_from(found) {
        Ok(number) if number <= most => Ok(number),
        _ => Err(WireError::TooLong { of, found, most }),
    }
}

/// Bytes of the longest text: layouts of millions of ranks fit.
const MAX_TEXT: usize = 1 << 26;

/// Checks the length of a text that another rank sends. All ranks fail alike, and none waits.
pub fn length(found: u64) -> Result<usize, WireError> {
    at_most("bytes", found, MAX_TEXT)
}

/// Returns the part of a text that is sent: all of it, or its longest allowed beginning.
pub fn clipped(text: &[u8]) -> &[u8] {
    &text[..text.len().min(MAX_TEXT)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learnt(versions: &[u64]) -> Result<(), WireError> {
        let least = |word: fn(&u64) -> u64| versions.iter().map(word).min().unwrap_or_default();
        same_version(least(|version| *version), least(|version| !version))
    }

    #[test]
    fn another_version_is_named_with_ours() {
        assert_eq!(learnt(&[VERSION, VERSION]), Ok(()));
        for theirs in [0, VERSION + 1, u64::MAX] {
            let expected = Err(WireError::OtherVersion { theirs, ours: VERSION });
            assert_eq!(learnt(&[VERSION, theirs]), expected);
            assert_eq!(learnt(&[theirs, VERSION, VERSION]), expected);
        }
        let told = WireError::OtherVersion { theirs: 7, ours: 1 }.told_by(3).to_string();
        assert!(told.contains("version 7") && told.contains("version 1 of"), "{told}");
    }

    #[test]
    fn what_is_sent_may_be_received() {
        let text = vec![b'x'; MAX_TEXT + 1];
        assert_eq!(length(clipped(&text).len() as u64), Ok(MAX_TEXT));
        assert!(length(text.len() as u64).is_err());
        assert_eq!(clipped(b"block onto 3"), b"block onto 3");
    }

    #[test]
    fn numbers_are_bounded() {
        assert_eq!(at_most("ranks", 5, 5), Ok(5));
        for found in [6, u64::MAX] {
            let expected = WireError::TooLong { of: "ranks", found, most: 5 };
            assert_eq!(at_most("ranks", found, 5), Err(expected));
        }
    }
}
