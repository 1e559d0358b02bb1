//! Codecs of chunks, which hold no more memory than a chunk of the array needs, whatever a file says.

use flate2::read::{MultiGzDecoder, ZlibDecoder};
use std::borrow::Cow;
use std::io::Read;
use std::num::NonZeroU64;
use std::sync::Arc;
use zarrs::array::codec::api::{ArrayToBytesCodecTraits, BytesToBytesCodecTraits, CodecOptions};
use zarrs::array::codec::{CodecChain, Crc32cCodec};
use zarrs::array::{Array, ArrayBytes, BytesRepresentation, DataType, FillValue};
use zarrs::storage::store::MemoryStore;

/// Bytes beyond the double of a chunk that a file of it may have.
const MORE_BYTES: u64 = 64 << 10;

/// Codecs of bytes that are known here, by their names in metadata.
const KNOWN: [(&str, Decoder); 6] = [
    ("gzip", Decoder::Gzip),
    ("zlib", Decoder::Zlib),
    ("numcodecs.zlib", Decoder::Zlib),
    ("zstd", Decoder::Zstd),
    ("blosc", Decoder::Blosc),
    ("crc32c", Decoder::Sum),
];

/// The way to decode bytes within bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decoder {
    Gzip,
    Zlib,
    Zstd,
    Blosc,
    /// The bytes before a checksum.
    Sum,
}

/// The codecs of an array's chunks.
#[derive(Debug)]
pub struct ChunkCodec {
    /// Codecs from elements to bytes.
    inner: CodecChain,
    /// Codecs from bytes to bytes in the order of writing, with the most bytes that each reads.
    outer: Vec<(Decoder, Arc<dyn BytesToBytesCodecTraits>, usize)>,
    shape: Vec<NonZeroU64>,
    data_type: DataType,
    fill_value: FillValue,
    /// Bytes of all elements of a chunk.
    bytes: usize,
}

impl ChunkCodec {
    /// Takes the codecs of an array, whose codecs of bytes have these names.
    pub fn new(
        array: &Array<MemoryStore>,
        names: &[String],
        (shape, bytes): (&[usize], usize),
    ) -> Result<Self, String> {
        let chain = array.codecs();
        let inner = CodecChain::new(
            chain.array_to_array_codecs().to_vec(),
            chain.array_to_bytes_codec().clone(),
            Vec::new(),
        );
        if names.len() != chain.bytes_to_bytes_codecs().len() {
            return Err(format!("codecs: {names:?} are not all known here"));
        }
        let (mut outer, mut before) = (Vec::new(), BytesRepresentation::FixedSize(bytes as u64));
        for (name, codec) in names.iter().zip(chain.bytes_to_bytes_codecs()) {
            let decoder =
                KNOWN.iter().find(|(known, _)| known == name).map(|(_, decoder)| *decoder);
            let decoder = decoder.ok_or_else(|| unknown(name))?;
            let most = before.size().unwrap_or(u64::MAX).min(most_bytes(bytes)) as usize;
            outer.push((decoder, codec.clone(), most));
            before = codec.encoded_representation(&before);
        }
        let shape =
            shape.iter().map(|extent| NonZeroU64::new(*extent as u64)).collect::<Option<_>>();
        let shape = shape.ok_or("a chunk without elements")?;
        let (data_type, fill_value) = (array.data_type().clone(), array.fill_value().clone());
        Ok(Self { inner, outer, shape, data_type, fill_value, bytes })
    }

    /// Returns the most bytes that a chunk may have in a file.
    pub fn most_encoded(&self) -> u64 {
        most_bytes(self.bytes)
    }

    pub fn decode(&self, encoded: Vec<u8>) -> Result<Vec<u8>, String> {
        let mut bytes = encoded;
        for (decoder, codec, most) in self.outer.iter().rev() {
            bytes = decoder.decode(codec.as_ref(), bytes, *most)?;
        }
        if bytes.len() != self.bytes {
            return Err(format!("the chunk has {} bytes, expected {}", bytes.len(), self.bytes));
        }
        let elements = self
            .inner
            .decode(Cow::Owned(bytes), &self.shape, &self.data_type, &self.fill_value, &options())
            .map_err(|error| error.to_string())?;
        let elements = elements.into_fixed().map_err(|error| error.to_string())?.into_owned();
        match elements.len() == self.bytes {
            true => Ok(elements),
            false => {
                Err(format!("the chunk has {} bytes, expected {}", elements.len(), self.bytes))
            }
        }
    }

    pub fn encode<'e>(&self, elements: &'e [u8]) -> Result<Cow<'e, [u8]>, String> {
        let failed = |error: &dyn std::fmt::Display| error.to_string();
        let elements = ArrayBytes::new_flen(elements);
        let mut bytes = self
            .inner
            .encode(elements, &self.shape, &self.data_type, &self.fill_value, &options())
            .map_err(|error| failed(&error))?;
        for (_, codec, _) in &self.outer {
            bytes = codec.encode(bytes, &options()).map_err(|error| failed(&error))?;
        }
        Ok(bytes)
    }
}

impl Decoder {
    fn decode(
        self,
        codec: &dyn BytesToBytesCodecTraits,
        encoded: Vec<u8>,
        most: usize,
    ) -> Result<Vec<u8>, String> {
        match self {
            Self::Gzip => unpacked(MultiGzDecoder::new(&encoded[..]), most),
            Self::Zlib => unpacked(ZlibDecoder::new(&encoded[..]), most),
            Self::Zstd => zstd::bulk::decompress(&encoded, most)
                .map_err(|error| format!("zstd, at most {most} bytes: {error}")),
            Self::Blosc | Self::Sum => {
                if self == Self::Blosc {
                    let said = encoded.get(4..8).ok_or("blosc: the chunk ends within its head")?;
                    let said =
                        said.iter().rev().fold(0u64, |all, byte| all << 8 | u64::from(*byte));
                    if said > most as u64 {
                        return Err(format!("blosc: the chunk says {said} bytes, expected {most}"));
                    }
                }
                let size = BytesRepresentation::BoundedSize(most as u64);
                let decoded = codec.decode(Cow::Owned(encoded), &size, &options());
                decoded.map(Cow::into_owned).map_err(|error| error.to_string())
            }
        }
    }
}

/// Decodes at most so many bytes.
fn unpacked(decoder: impl Read, most: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(most);
    let mut decoder = decoder.take(most as u64);
    decoder.read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    match decoder.into_inner().read(&mut [0]).map_err(|error| error.to_string())? {
        0 => Ok(bytes),
        _ => Err(format!("the chunk has more than {most} bytes")),
    }
}

/// Returns bytes without the checksum behind them; fails if it is of other bytes.
pub fn checked(bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    let size = BytesRepresentation::FixedSize(bytes.len().saturating_sub(4) as u64);
    let decoded = Crc32cCodec::new().decode(Cow::Owned(bytes), &size, &options());
    decoded.map(Cow::into_owned).map_err(|error| error.to_string())
}

/// Returns bytes with their checksum behind them.
pub fn with_sum(bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    let encoded = Crc32cCodec::new().encode(Cow::Owned(bytes), &options());
    encoded.map(Cow::into_owned).map_err(|error| error.to_string())
}

fn most_bytes(bytes: usize) -> u64 {
    (bytes as u64).saturating_mul(2).saturating_add(MORE_BYTES)
}

/// One thread: the caller has more of them, and knows what they may hold.
fn options() -> CodecOptions {
    CodecOptions::default().with_concurrent_target(1)
}

fn unknown(name: &str) -> String {
    format!(
        "codec `{name}` is not known here; codecs are bytes, transpose, zstd, gzip, zlib, blosc, crc32c \
         and sharding_indexed"
    )
}
