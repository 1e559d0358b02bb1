//! Metadata of an array, `zarr.json` or `.zarray`, which are not trusted.

use super::codecs::ChunkCodec;
use super::shards::{MAX_CHUNKS, Sharding};
use super::types;
use crate::address::is_address;
use crate::chunks::chunk_bytes;
use crate::element::bytes_of_code;
use crate::readable::Readable;
use serde_json::Value;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zarrs::array::{Array, ArrayMetadata};
use zarrs::storage::store::MemoryStore;

/// Name of the metadata of version 3, and of version 2.
pub const NAMES: [&str; 2] = ["zarr.json", ".zarray"];

/// The longest metadata that are read, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// An array by its metadata.
#[derive(Debug)]
pub struct ZarrArray {
    /// The version of the format, 2 or 3.
    pub version: u8,
    /// Extents, in elements.
    pub shape: Vec<usize>,
    /// Extents of a chunk, in elements.
    pub chunk: Vec<usize>,
    pub sharding: Option<Sharding>,
    /// Code of the elements in memory.
    pub code: String,
    /// The element that chunks consist of that are not there.
    pub fill: Vec<u8>,
    pub codec: ChunkCodec,
    keys: Keys,
}

/// Names of chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Keys {
    /// Text before the first number.
    before: String,
    separator: char,
}

impl ZarrArray {
    /// Reads the metadata in a folder: their file, and the array. `None` if there is no folder.
    pub fn open(folder: &Path) -> Result<Option<(PathBuf, Self)>, String> {
        for name in NAMES {
            let path = folder.join(name);
            let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
            let opened = Readable::open(&path).map_err(|error| named(&error))?;
            let Some((file, state)) = opened else { continue };
            if state.len > MAX_BYTES {
                return Err(named(&format!("metadata have at most {MAX_BYTES} bytes")));
            }
            let mut text = Vec::new();
            file.reader(0..state.len).read_to_end(&mut text).map_err(|error| named(&error))?;
            let value = serde_json::from_slice(&text).map_err(|error| named(&error))?;
            let array = Self::of(value).map_err(|error| named(&error))?;
            return Ok(Some((path, array)));
        }
        if is_address(folder) {
            return Ok(None);
        }
        match folder.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("{}: {error}", folder.display())),
            Ok(_) => Err(format!(
                "{}: has neither {} nor {}, which an array of Zarr has",
                folder.display(),
                NAMES[0],
                NAMES[1]
            )),
        }
    }

    /// Reads metadata.
    pub fn of(mut value: Value) -> Result<Self, String> {
        let version = value["zarr_format"].as_u64();
        if value["node_type"] == "group" {
            return Err("is a group; name one of its arrays, as in `x.zarr/temperature`".into());
        }
        let shape = numbers(&value, "/shape")?;
        let (mut chunk, sharding, code, names, keys) = match version {
            Some(3) => version_3(&mut value)?,
            Some(2) => version_2(&value)?,
            _ => {
                return Err(format!(
                    "zarr_format: expected 2 or 3, found {}",
                    value["zarr_format"]
                ));
            }
        };
        if chunk.len() != shape.len() || chunk.contains(&0) {
            return Err(format!("chunks of {chunk:?} elements for an array of {shape:?}"));
        }
        let width = bytes_of_code(&code).ok_or_else(|| unknown_type(&code))?;
        let bytes = chunk_bytes(&chunk, width);
        if bytes > isize::MAX as usize / 4 {
            return Err(format!("a chunk of {chunk:?} elements of {width} bytes fits no memory"));
        }
        let metadata: ArrayMetadata =
            serde_json::from_value(value).map_err(|error| error.to_string())?;
        let array = Array::new_with_metadata(Arc::new(MemoryStore::new()), "/", metadata)
            .map_err(|error| error.to_string())?;
        let fill = array.fill_value().as_ne_bytes().to_vec();
        if fill.len() != width {
            return Err(format!("fill_value: expected {width} bytes, found {}", fill.len()));
        }
        let codec = ChunkCodec::new(&array, &names, (&chunk, bytes))?;
        // A chunk that goes beyond a short array is read whole all the same.
        chunk.shrink_to_fit();
        let version = if version == Some(2) { 2 } else { 3 };
        Ok(Self { version, shape, chunk, sharding, code, fill, codec, keys })
    }

    /// Returns the name of a chunk's file, and the chunk's number in it.
    pub fn place(&self, chunk: usize) -> (String, usize) {
        let (mut file, mut inner) = (vec![0; self.shape.len()], 0);
        let (mut rest, mut stride) = (chunk, 1);
        for axis in (0..self.shape.len()).rev() {
            let along = self.shape[axis].div_ceil(self.chunk[axis]).max(1);
            let per = self.sharding.as_ref().map_or(1, |sharding| sharding.chunks[axis]);
            let at = rest % along;
            (file[axis], inner) = (at / per, inner + at % per * stride);
            (rest, stride) = (rest / along, stride * per);
        }
        let separator = self.keys.separator.to_string();
        let numbers: Vec<String> = file.iter().map(usize::to_string).collect();
        (format!("{}{}", self.keys.before, numbers.join(&separator)), inner)
    }

    /// Counts the chunks.
    pub fn count(&self) -> usize {
        let along =
            self.shape.iter().zip(&self.chunk).map(|(extent, chunk)| extent.div_ceil(*chunk));
        along.fold(1, usize::saturating_mul)
    }

    /// Counts the bytes of a chunk's elements.
    pub fn bytes(&self) -> usize {
        chunk_bytes(&self.chunk, self.fill.len())
    }
}

/// Extents of chunks, shards, the code of elements, names of codecs of bytes, and of chunks.
type Words = (Vec<usize>, Option<Sharding>, String, Vec<String>, Keys);

/// Reads metadata of version 3, and puts the codecs within a shard in place of the shard's.
fn version_3(value: &mut Value) -> Result<Words, String> {
    if value["chunk_grid"]["name"] != "regular" {
        return Err(format!(
            "chunk_grid: expected `regular`, found {}",
            value["chunk_grid"]["name"]
        ));
    }
    let name = value["data_type"].as_str().unwrap_or_default().to_owned();
    let code = types::code(&name).ok_or_else(|| unknown_type(&value["data_type"].to_string()))?;
    let encoding = &value["chunk_key_encoding"];
    let separator = encoding["configuration"]["separator"].as_str();
    let word = encoding["name"].as_str().or(encoding.as_str());
    let keys = match (word, separator) {
        (Some("default"), None | Some("/")) => Keys { before: "c/".into(), separator: '/' },
        (Some("default"), Some(".")) => Keys { before: "c.".into(), separator: '.' },
        (Some("v2"), None | Some(".")) => Keys { before: String::new(), separator: '.' },
        (Some("v2"), Some("/")) => Keys { before: String::new(), separator: '/' },
        _ => return Err(format!("chunk_key_encoding: {encoding} is not known here")),
    };
    let mut chunk = numbers(value, "/chunk_grid/configuration/chunk_shape")?;
    let codecs = value["codecs"].as_array().ok_or("codecs: expected a list")?.clone();
    let mut sharding = None;
    if codecs.iter().any(|codec| name_of(codec) == "sharding_indexed") {
        let [only] = codecs.as_slice() else {
            return Err("codecs: other codecs around sharding_indexed are not known here".into());
        };
        let inner = numbers(only, "/configuration/chunk_shape")?;
        sharding = Some(shards(only, (&chunk, &inner))?);
        value["codecs"] = only["configuration"]["codecs"].clone();
        value["chunk_grid"]["configuration"]["chunk_shape"] = inner.clone().into();
        chunk = inner;
    }
    let codecs = value["codecs"].as_array().ok_or("codecs: expected a list")?;
    let names = codecs.iter().map(name_of).filter(|name| !["bytes", "transpose"].contains(name));
    let names: Vec<String> = names.map(str::to_owned).collect();
    Ok((chunk, sharding, code, names, keys))
}

fn version_2(value: &Value) -> Result<Words, String> {
    let dtype = value["dtype"].as_str().unwrap_or_default();
    let plain = dtype.get(1..).unwrap_or_default();
    let code = match plain.starts_with('V') {
        true => dtype.to_owned(),
        false => types::with_order(plain),
    };
    if bytes_of_code(dtype).is_none() || types::name(&code, 2).is_none() {
        return Err(unknown_type(&value["dtype"].to_string()));
    }
    let filters = &value["filters"];
    if !filters.is_null() && filters.as_array().is_none_or(|filters| !filters.is_empty()) {
        return Err(format!("filters: {filters} are not known here"));
    }
    let names = value["compressor"]["id"].as_str().map(str::to_owned).into_iter().collect();
    let separator = match value["dimension_separator"].as_str() {
        None | Some(".") => '.',
        Some("/") => '/',
        Some(other) => return Err(format!("dimension_separator: `{other}` is not known here")),
    };
    let keys = Keys { before: String::new(), separator };
    Ok((numbers(value, "/chunks")?, None, code, names, keys))
}

fn shards(codec: &Value, (shard, chunk): (&[usize], &[usize])) -> Result<Sharding, String> {
    let fits = |(shard, chunk): (&usize, &usize)| *chunk > 0 && *shard > 0 && shard % chunk == 0;
    if shard.len() != chunk.len() || !shard.iter().zip(chunk).all(fits) {
        return Err(format!("shards of {shard:?} are no multiples of chunks of {chunk:?}"));
    }
    let chunks: Vec<usize> = shard.iter().zip(chunk).map(|(shard, chunk)| shard / chunk).collect();
    if chunks
        .iter()
        .try_fold(1usize, |all, along| all.checked_mul(*along))
        .is_none_or(|all| all > MAX_CHUNKS)
    {
        return Err(format!("shards of {chunks:?} chunks have more than {MAX_CHUNKS}"));
    }
    let codecs = codec["configuration"]["index_codecs"].as_array().cloned().unwrap_or_default();
    let names: Vec<&str> = codecs.iter().map(name_of).collect();
    let little = codecs.first().is_some_and(|codec| codec["configuration"]["endian"] == "little");
    let summed = match names.as_slice() {
        ["bytes"] if little => false,
        ["bytes", "crc32c"] if little => true,
        _ => return Err("index_codecs: expected bytes, little-endian, and crc32c".into()),
    };
    let at_start = match codec["configuration"]["index_location"].as_str() {
        None | Some("end") => false,
        Some("start") => true,
        Some(other) => return Err(format!("index_location: `{other}` is not known here")),
    };
    Ok(Sharding { chunks, at_start, summed })
}

fn name_of(codec: &Value) -> &str {
    codec["name"].as_str().or(codec.as_str()).unwrap_or_default()
}

fn numbers(value: &Value, at: &str) -> Result<Vec<usize>, String> {
    let wrong = || format!("{}: expected numbers of elements", at.trim_start_matches('/'));
    let list = value.pointer(at).and_then(Value::as_array).ok_or_else(wrong)?;
    let number = |number: &Value| number.as_u64().filter(|number| *number <= i64::MAX as u64);
    list.iter().map(|one| number(one).map(|one| one as usize).ok_or_else(wrong)).collect()
}

fn unknown_type(name: &str) -> String {
    format!("elements of type {name} are not known here")
}

/// Returns `true` if bytes are this element again and again.
pub fn is_all(bytes: &[u8], element: &[u8]) -> bool {
    // The first is the element, and each is the one before it: many bytes are compared at once.
    let (width, len) = (element.len().min(bytes.len()), bytes.len());
    bytes[..width] == element[..width] && bytes[width..] == bytes[..len - width]
}

#[cfg(test)]
mod tests {
    use super::is_all;

    #[test]
    fn one_other_byte_is_found_wherever_it_is() {
        for element in [&[0u8, 0, 0, 0][..], &[1, 2, 3], &[0], &[9]] {
            for count in [0, 1, 2, 77] {
                let mut bytes = element.repeat(count);
                assert!(is_all(&bytes, element), "{element:?} {count}");
                for at in 0..bytes.len() {
                    bytes[at] ^= 0x40;
                    assert!(!is_all(&bytes, element), "{element:?} {count} {at}");
                    bytes[at] ^= 0x40;
                }
            }
        }
    }
}
