//! FNV-1a, 64 bits, over little-endian 64-bit words: the hash of long lists in the vectors.

pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub fn word(&mut self, word: usize) {
        for byte in (word as u64).to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    pub fn words(&mut self, words: impl IntoIterator<Item = usize>) {
        for word in words {
            self.word(word);
        }
    }

    /// Returns 16 hexadecimal digits, as in the vectors.
    pub fn hex(&self) -> String {
        format!("{:016x}", self.0)
    }
}
