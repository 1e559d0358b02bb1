//! A node's result of a vote, reported to each rank of other nodes, with joined messages.

use super::{WireError, at_most};

pub const VOTE_WORDS: usize = 8;

/// Words of a head: node, vote, piece, pieces, and the result.
const WORDS: usize = 4 + VOTE_WORDS;

/// Bytes before the messages in a piece of a report.
pub const HEAD_BYTES: usize = 8 * WORDS;

/// Most bytes of messages in a piece, by any library.
#[cfg(feature = "mpi")]
pub const PIECE_BYTES: usize = 60 << 10;

/// The beginning of each piece of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub node: usize,
    pub vote: u64,
    pub piece: usize,
    pub pieces: usize,
    /// The largest of each word of all ballots of the node.
    pub words: [u64; VOTE_WORDS],
}

impl Head {
    /// Returns the bytes that are sent.
    pub fn bytes(&self) -> [u8; HEAD_BYTES] {
        let numbers = [self.node as u64, self.vote, self.piece as u64, self.pieces as u64];
        let mut bytes = [0; HEAD_BYTES];
        for (place, word) in bytes.chunks_exact_mut(8).zip(numbers.into_iter().chain(self.words)) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

/// The reader's knowledge.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub nodes: usize,
    pub here: usize,
    /// The most pieces of a report to the reader.
    pub pieces: usize,
    /// The first vote that the reader has not taken.
    pub first: u64,
    /// Later votes that may be reported.
    pub ahead: usize,
}

/// Reads a piece of a report; fails for impossible values.
pub fn read(bytes: &[u8], bounds: &Bounds) -> Result<Head, WireError> {
    let malformed = |what: String| WireError::Malformed(what);
    let head = bytes.get(..HEAD_BYTES).ok_or_else(|| {
        malformed(format!("{} bytes are less than a report of a vote has", bytes.len()))
    })?;
    let mut numbers = [0; WORDS];
    for (word, bytes) in numbers.iter_mut().zip(head.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    let [node, vote, piece, pieces, words @ ..] = numbers;
    let node = at_most("nodes", node, bounds.nodes.saturating_sub(1))?;
    if node == bounds.here {
        return Err(malformed("a report of this rank's own node".into()));
    }
    let ahead = vote.checked_sub(bounds.first).ok_or_else(|| {
        malformed(format!(
            "a report of vote {vote}, when {} is the first that is open",
            bounds.first
        ))
    })?;
    at_most("votes ahead", ahead, bounds.ahead)?;
    let pieces = at_most("pieces", pieces, bounds.pieces)?;
    if pieces == 0 {
        return Err(malformed("a report without pieces".into()));
    }
    let piece = at_most("pieces before it", piece, pieces - 1)?;
    Ok(Head { node, vote, piece, pieces, words })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { nodes: 3, here: 1, pieces: 4, first: 7, ahead: 2 };

    fn head() -> Head {
        let words = std::array::from_fn(|at| (at as u64) << 40 | 5);
        Head { node: 2, vote: 8, piece: 3, pieces: 4, words }
    }

    #[test]
    fn what_is_told_is_read() {
        for more in [0, 40] {
            let bytes = [head().bytes().as_slice(), &vec![9; more]].concat();
            assert_eq!(read(&bytes, &BOUNDS), Ok(head()));
        }
    }

    #[test]
    fn what_cannot_be_is_an_error() {
        for wrong in [
            Head { node: 3, ..head() },
            Head { node: 1, ..head() },
            Head { vote: 6, ..head() },
            Head { vote: 10, ..head() },
            Head { vote: u64::MAX, ..head() },
            Head { piece: 4, ..head() },
            Head { pieces: 0, ..head() },
            Head { pieces: 5, ..head() },
            Head { pieces: usize::MAX, ..head() },
        ] {
            assert!(read(&wrong.bytes(), &BOUNDS).is_err(), "{wrong:?}");
        }
        for len in 0..HEAD_BYTES {
            assert!(read(&head().bytes()[..len], &BOUNDS).is_err(), "{len}");
        }
    }
}
