//! Files of several chunks: where each of them is, behind or before them all.

use super::codecs::checked;
use crate::readable::Readable;

/// The place of a chunk that is not there, as the file says it.
const NOTHING: u64 = u64::MAX;

/// Bytes of a chunk's place: its first byte, and how many.
const PLACE_BYTES: u64 = 16;

/// Bytes of the checksum behind all places.
const SUM_BYTES: u64 = 4;

/// Most chunks of a file.
pub const MAX_CHUNKS: usize = 1 << 20;

/// Chunks that share a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sharding {
    /// Chunks of a file along each axis.
    pub chunks: Vec<usize>,
    /// `true` if the places stand before the chunks.
    pub at_start: bool,
    /// `true` if a checksum follows the places.
    pub summed: bool,
}

/// The places of the chunks of a file.
#[derive(Clone, Debug)]
pub struct ShardIndex(Vec<(u64, u64)>);

impl Sharding {
    pub fn count(&self) -> usize {
        self.chunks.iter().product()
    }

    fn bytes(&self) -> u64 {
        self.count() as u64 * PLACE_BYTES + if self.summed { SUM_BYTES } else { 0 }
    }
}

impl ShardIndex {
    /// Makes the places of a file without chunks.
    pub fn empty(sharding: &Sharding) -> Self {
        Self(vec![(NOTHING, NOTHING); sharding.count()])
    }

    pub fn read(file: &Readable, len: u64, sharding: &Sharding) -> Result<Self, String> {
        let bytes = sharding.bytes();
        let before = len.checked_sub(bytes).ok_or_else(|| {
            format!("the shard ends within its index of {bytes} bytes: it has {len}")
        })?;
        let mut text = vec![0; bytes as usize];
        let at = if sharding.at_start { 0 } else { before };
        file.read_exact_at(&mut text, at).map_err(|error| error.to_string())?;
        let text = if sharding.summed { checked(text).map_err(|_| wrong_sum())? } else { text };
        let places: Vec<(u64, u64)> = text
            .as_chunks::<16>()
            .0
            .iter()
            .map(|place| {
                let number = |at: usize| {
                    let mut bytes = [0; 8];
                    bytes.copy_from_slice(&place[at..at + 8]);
                    u64::from_le_bytes(bytes)
                };
                (number(0), number(8))
            })
            .collect();
        for (chunk, &(first, bytes)) in places.iter().enumerate() {
            let is_nothing = (first, bytes) == (NOTHING, NOTHING);
            if !is_nothing && first.checked_add(bytes).is_none_or(|end| end > len) {
                return Err(format!(
                    "chunk {chunk} of the shard has {bytes} bytes from byte {first} on by the index, \
                     and the file has {len}"
                ));
            }
        }
        Ok(Self(places))
    }

    /// Returns a chunk's first byte and how many it has; `None` if it is not there.
    pub fn place(&self, chunk: usize) -> Option<(u64, u64)> {
        Some(self.0[chunk]).filter(|place| *place != (NOTHING, NOTHING))
    }

    pub fn set(&mut self, chunk: usize, place: (u64, u64)) {
        self.0[chunk] = place;
    }

    /// Writes the places, without a checksum.
    pub fn written(&self) -> Vec<u8> {
        self.0
            .iter()
            .flat_map(|(first, len)| [first.to_le_bytes(), len.to_le_bytes()])
            .flatten()
            .collect()
    }
}

fn wrong_sum() -> String {
    "the shard's index has another checksum than it says; was the file cut off?".into()
}
