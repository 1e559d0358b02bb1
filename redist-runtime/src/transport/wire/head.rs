//! The head of a message between processes.

use super::WireError;

/// Words for the reason of a sender that is not ready.
pub const REASON_WORDS: usize = 5;

/// Bytes before the elements.
pub const HEAD_BYTES: usize = 64;

/// The words before the elements of a message to a rank of another node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The sender's move: its call, and the place of the move in that (`Rounds::number`).
    pub number: u64,
    /// Zero if the sender is ready, and elements follow.
    pub reason: [u64; REASON_WORDS],
    /// Segments of the message, of which this is the beginning.
    pub segments: u64,
}

impl Head {
    /// Returns the bytes that are sent.
    pub fn bytes(&self) -> [u8; HEAD_BYTES] {
        let mut bytes = [0; HEAD_BYTES];
        let words = [self.number].into_iter().chain(self.reason).chain([self.segments]);
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// Reads the beginning of a message.
    ///
    /// # Errors
    /// The message is shorter than a head.
    pub fn read(message: &[u8]) -> Result<Self, WireError> {
        let short = || WireError::Malformed(format!("a message of {} bytes", message.len()));
        let bytes = message.get(..HEAD_BYTES).ok_or_else(short)?;
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[8 * at + byte]));
        let reason = std::array::from_fn(|at| word(at + 1));
        Ok(Self { number: word(0), reason, segments: word(REASON_WORDS + 1) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_as_they_were_written() {
        let head = Head { number: u64::MAX - 3, reason: [1, 2, 3, 4, u64::MAX], segments: 7 };
        let mut message = head.bytes().to_vec();
        message.extend([9; 3]);
        assert_eq!(Head::read(&message), Ok(head));
        assert!(matches!(Head::read(&message[..63]), Err(WireError::Malformed(_))));
    }
}
