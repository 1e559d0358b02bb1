//! Chunks of an array that is there.

use super::metadata::ZarrArray;
use super::shards::ShardIndex;
use crate::address::is_address;
use crate::chunks::StoredChunks;
use crate::journal;
use crate::readable::{Readable, State};
use std::collections::VecDeque;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Indices of shards that are kept.
const MAX_INDICES: usize = 16;

/// An array's chunks in its folder.
#[derive(Debug)]
pub struct ZarrChunks {
    folder: PathBuf,
    array: ZarrArray,
    /// Indices of the shards that were read last, by name.
    indices: Mutex<VecDeque<(String, Arc<ShardIndex>)>>,
}

impl ZarrChunks {
    pub fn new(folder: PathBuf, array: ZarrArray) -> Self {
        Self { folder, array, indices: Mutex::default() }
    }

    /// Reads a chunk as it is in its file; `None` if it is not there.
    fn encoded(&self, key: &str, inner: usize) -> Result<Option<Vec<u8>>, String> {
        let Some((file, state)) = open(&self.folder.join(key))? else { return Ok(None) };
        let (start, len) = match &self.array.sharding {
            None => (0, state.len),
            Some(_) => match self.index(key, (&file, state.len))?.place(inner) {
                Some(place) => place,
                None => return Ok(None),
            },
        };
        let most = self.array.codec.most_encoded();
        if len > most {
            return Err(format!("a chunk of {len} bytes, where at most {most} are expected"));
        }
        let mut bytes = vec![0; len as usize];
        file.read_exact_at(&mut bytes, start).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => "has become shorter meanwhile".into(),
            _ => error.to_string(),
        })?;
        Ok(Some(bytes))
    }

    fn index(&self, key: &str, (file, len): (&Readable, u64)) -> Result<Arc<ShardIndex>, String> {
        let kept = || self.indices.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, index)) = kept().iter().find(|(own, _)| own == key) {
            return Ok(index.clone());
        }
        let sharding = self.array.sharding.as_ref().ok_or("no shards")?;
        let index = Arc::new(ShardIndex::read(file, len, sharding)?);
        let mut kept = kept();
        if kept.len() == MAX_INDICES {
            kept.pop_front();
        }
        kept.push_back((key.into(), index.clone()));
        Ok(index)
    }

    /// Counts the files that chunks may have: a shard is counted for each of its chunks.
    fn files(&self) -> impl Iterator<Item = PathBuf> {
        (0..self.array.count()).filter_map(|chunk| {
            let (key, inner) = self.array.place(chunk);
            (inner == 0).then(|| self.folder.join(key))
        })
    }
}

impl StoredChunks for ZarrChunks {
    fn chunk(&self) -> &[usize] {
        &self.array.chunk
    }

    fn is_there(&self, chunk: usize) -> Result<bool, String> {
        let (key, _) = self.array.place(chunk);
        let path = self.folder.join(key);
        // A store is asked once for a chunk: when it is read.
        Ok(is_address(&path)
            || is_file(&path).map_err(|error| format!("{}: {error}", path.display()))?)
    }

    fn read(&self, chunk: usize) -> Result<Vec<u8>, String> {
        let (key, inner) = self.array.place(chunk);
        let named = |error| format!("{}: {error}", self.folder.join(&key).display());
        match self.encoded(&key, inner).map_err(named)? {
            Some(encoded) => self.array.codec.decode(encoded).map_err(named),
            None => Ok(self.array.fill.repeat(self.array.bytes() / self.array.fill.len())),
        }
    }

    fn state(&self) -> u64 {
        if is_address(&self.folder) {
            // Nobody asks a store for all chunks: a later run takes none of this array for the same.
            let now = format!("{:?}", SystemTime::now());
            return journal::hash(process::id().into(), now.as_bytes());
        }
        self.files().fold(0, |state, path| match path.metadata() {
            Ok(found) => {
                let State { id, len, modified } = State::of(&found);
                journal::hash(state, format!("{id:?} {len} {modified}").as_bytes())
            }
            Err(_) => journal::hash(state, b"none"),
        })
    }

    fn fill(&self) -> &[u8] {
        &self.array.fill
    }
}

/// Finds a chunk's file. A link to nothing is an error, because a chunk that is not there is filled.
fn is_file(path: &Path) -> Result<bool, String> {
    match path.metadata() {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => match path.symlink_metadata() {
            Ok(_) => Err("is a link to nothing".into()),
            Err(_) => Ok(false),
        },
        Err(error) => Err(error.to_string()),
    }
}

/// Opens a chunk's file or object; `None` if it is not there.
fn open(path: &Path) -> Result<Option<(Readable, State)>, String> {
    if !is_address(path) && !is_file(path)? {
        return Ok(None);
    }
    Readable::open(path).map_err(|error| error.to_string())
}
