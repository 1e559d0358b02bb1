//! Texts, which follow their lengths.

use super::{WireError, at_most};

/// Bytes of the longest text: layouts of millions of ranks fit.
pub const MAX_TEXT: usize = 1 << 26;

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

    #[test]
    fn what_is_sent_may_be_received() {
        let text = vec![b'x'; MAX_TEXT + 1];
        assert_eq!(length(clipped(&text).len() as u64), Ok(MAX_TEXT));
        assert!(length(text.len() as u64).is_err());
        assert_eq!(clipped(b"block onto 3"), b"block onto 3");
    }
}
