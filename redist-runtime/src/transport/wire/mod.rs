//! What ranks tell each other before anything moves, as numbers and bytes, and read without trust:
//! another rank may run another program, built with another release or by someone else.
//!
//! Everything here is a function of what has arrived, returns an error for what makes no sense, and
//! bounds every length before memory is asked for. There are no calls of a library, so that all of
//! it is tested and fuzzed without one.

mod preflight;
#[cfg(any(feature = "mpi", test, fuzzing))]
pub mod report;
mod text;

#[cfg(any(feature = "mpi", fuzzing))]
pub use preflight::{Subject, Verdict, body, head, read_body, read_head};
#[cfg(any(feature = "mpi", fuzzing))]
pub use text::{clipped, length};

use crate::error::Error;

/// The version of what is said between ranks, whatever the release: of the words below, of the
/// texts that coupled programs exchange, of how messages and chunks are cut and tagged,
/// and of the tiles by which ranks divide arrays that they share.
///
/// It counts up with every change to one of these; `exec/direct/division.rs` has digests of how
/// arrays are divided into chunks and tiles. What is said first, to find out whether versions are
/// the same, never changes: the ballot by which ranks say that they set something up, the first two
/// words of a preflight and of a merger, and the first line of a handshake.
pub const VERSION: u64 = 8;

/// What is wrong with something that has arrived.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// It is of another version of the wire format.
    #[error("it is of version {theirs} of the wire format, and this program speaks {ours}")]
    OtherVersion {
        /// The other version.
        theirs: u64,
        /// That of this program.
        ours: u64,
    },
    /// It has more bytes, words or ranks than anything that is sent.
    #[error("it says that it has {found} {of}, more than {most}, the most there may be")]
    TooLong {
        /// What there are too many of.
        of: &'static str,
        /// How many it says.
        found: u64,
        /// The most there may be.
        most: usize,
    },
    /// It is not what stands in this place.
    #[error("{0}")]
    Malformed(String),
}

impl WireError {
    /// As a rank tells of it.
    pub fn told_by(self, here: usize) -> Error {
        match self {
            WireError::OtherVersion { theirs, ours } => Error::DifferentWire { here, ours, theirs },
            error => Error::Unreadable { here, reason: error.to_string() },
        }
    }
}

/// Whether all ranks speak this version: of the least of all versions, and the least of all their
/// complements.
///
/// # Errors
/// Some do not.
pub fn same_version(least: u64, least_complement: u64) -> Result<(), WireError> {
    let ours = VERSION;
    match [least, !least_complement].into_iter().find(|version| *version != ours) {
        Some(theirs) => Err(WireError::OtherVersion { theirs, ours }),
        None => Ok(()),
    }
}

/// The words that tell the version.
pub fn version_words() -> [u64; 2] {
    [VERSION, !VERSION]
}

/// A number that another rank says, where it is at most this large.
///
/// # Errors
/// It is larger.
pub fn at_most(of: &'static str, found: u64, most: usize) -> Result<usize, WireError> {
    match usize::try_from(found) {
        Ok(number) if number <= most => Ok(number),
        _ => Err(WireError::TooLong { of, found, most }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What all ranks learn where some speak another version.
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
    fn numbers_are_bounded() {
        assert_eq!(at_most("ranks", 5, 5), Ok(5));
        for found in [6, u64::MAX] {
            let expected = WireError::TooLong { of: "ranks", found, most: 5 };
            assert_eq!(at_most("ranks", found, 5), Err(expected));
        }
    }
}
