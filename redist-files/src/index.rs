//! Indices of safetensors: which of several files has an array, each of which is whole.

use super::readable::{Readable, missing};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Ending of an index, behind the model's name.
const ENDING: &str = ".safetensors.index.json";

/// The longest index that is read, in bytes.
const MAX_INDEX_BYTES: u64 = 256 << 20;

/// Bytes of arrays in a file, unless the caller tells: as others write them.
pub const SHARD_BYTES: u64 = 5_000_000_000;

/// The text of an index.
#[derive(Debug, Default, Deserialize, Serialize)]
struct IndexText {
    #[serde(default)]
    metadata: serde_json::Map<String, serde_json::Value>,
    weight_map: BTreeMap<String, String>,
}

/// Reads which file has which array.
pub fn weight_map(index: &Path) -> Result<BTreeMap<String, PathBuf>, String> {
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", index.display());
    let opened = Readable::open(index).map_err(|error| named(&error))?;
    let (file, state) = opened.ok_or_else(|| missing(index))?;
    if state.len > MAX_INDEX_BYTES {
        return Err(named(&format!("an index has at most {MAX_INDEX_BYTES} bytes")));
    }
    let mut text = String::new();
    file.reader(0..state.len).read_to_string(&mut text).map_err(|error| named(&error))?;
    let read: IndexText = serde_json::from_str(&text).map_err(|error| named(&error))?;
    let folder = index.parent().unwrap_or(Path::new(""));
    let place = |(array, file): (String, String)| {
        if file.is_empty() || file.contains(['/', '\0']) || file == ".." || file == "." {
            return Err(named(&format!(
                "`{file}` of array `{array}` is no name of a file beside it"
            )));
        }
        Ok((array, folder.join(file)))
    };
    read.weight_map.into_iter().map(place).collect()
}

/// Deals arrays of these bytes out to files of at most `most` bytes, in order, and writes the index.
pub fn dealt(
    index: &Path,
    arrays: &[(&str, u64)],
    most: u64,
) -> Result<(Vec<PathBuf>, Vec<u8>), String> {
    let (mut numbers, mut shard, mut bytes, mut total) = (Vec::new(), 0usize, 0u64, 0u64);
    for (_, len) in arrays {
        if bytes > 0 && *len > 0 && bytes.saturating_add(*len) > most {
            (shard, bytes) = (shard + 1, 0);
        }
        (bytes, total) = (bytes.saturating_add(*len), total.saturating_add(*len));
        numbers.push(shard);
    }
    let name = index.file_name().unwrap_or_default().to_string_lossy();
    let model = name.strip_suffix(ENDING).unwrap_or("model");
    let file =
        |number: &usize| format!("{model}-{:05}-of-{:05}.safetensors", number + 1, shard + 1);
    let folder = index.parent().unwrap_or(Path::new(""));
    let paths = numbers.iter().map(|number| folder.join(file(number))).collect();
    let mut text = IndexText::default();
    text.metadata.insert("total_size".into(), total.into());
    for ((array, _), number) in arrays.iter().zip(&numbers) {
        text.weight_map.insert((*array).into(), file(number));
    }
    let text = serde_json::to_vec_pretty(&text).map_err(|error| error.to_string())?;
    Ok((paths, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_dealt_in_order() {
        let arrays = [("a", 4), ("b", 5), ("c", 20), ("d", 0), ("e", 9)];
        let (paths, text) =
            dealt(Path::new("m/x.safetensors.index.json"), &arrays, 10).expect("an index");
        let names: Vec<String> =
            paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        let file = |number| format!("m/x-0000{number}-of-00003.safetensors");
        assert_eq!(names, [1, 1, 2, 2, 3].map(file));
        let made = tempfile::tempdir().expect("a folder");
        let index = made.path().join("x.safetensors.index.json");
        std::fs::write(&index, text).expect("written");
        let map = weight_map(&index).expect("an index");
        assert_eq!(map["e"], made.path().join("x-00003-of-00003.safetensors"));
        std::fs::write(&index, r#"{"weight_map": {"a": "../b"}}"#).expect("written");
        assert!(weight_map(&index).expect_err("outside").contains("no name of a file beside it"));
    }
}
