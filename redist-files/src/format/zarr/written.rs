//! Chunks of an array that is written, by the descriptor of its folder.

use super::codecs::with_sum;
use super::metadata::{NAMES, ZarrArray, is_all};
use super::shards::ShardIndex;
use crate::chunks::NewChunks;
use rustix::fs::{Mode, OFlags, mkdirat, openat};
use rustix::io::Errno;
use serde_json::Value;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError, RwLock};

/// A new array.
#[derive(Debug)]
pub struct ZarrWriter {
    array: ZarrArray,
    /// Text of the metadata.
    text: Vec<u8>,
    folder: RwLock<Option<OwnedFd>>,
    /// By name of the file: its bytes so far, and the places of its chunks.
    shards: Mutex<HashMap<String, (u64, ShardIndex)>>,
}

impl ZarrWriter {
    pub fn new(metadata: Value) -> Result<Self, String> {
        let text = serde_json::to_vec_pretty(&metadata).map_err(|error| error.to_string())?;
        let array = ZarrArray::of(metadata)?;
        Ok(Self { array, text, folder: RwLock::new(None), shards: Mutex::default() })
    }

    /// Makes a file, or opens a shard that was begun, and gives it to a function.
    fn with<T>(
        &self,
        key: &str,
        flags: OFlags,
        act: impl FnOnce(File) -> io::Result<T>,
    ) -> Result<T, String> {
        let folder = self.folder.read().unwrap_or_else(PoisonError::into_inner);
        let folder = folder.as_ref().ok_or("the array was not begun")?;
        let flags = flags | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = || openat(folder, key, flags | OFlags::CREATE, Mode::from_raw_mode(0o666));
        let opened = match file() {
            Err(Errno::NOENT) => folders(folder.as_fd(), key).and_then(|()| file()),
            other => other,
        };
        opened
            .map_err(io::Error::from)
            .and_then(|file| act(file.into()))
            .map_err(|error| format!("{key}: {error}"))
    }

    fn add_to_shard(&self, key: &str, inner: usize, encoded: &[u8]) -> Result<(), String> {
        let sharding = self.array.sharding.as_ref().ok_or("no shards")?;
        let start = {
            let mut shards = self.shards.lock().unwrap_or_else(PoisonError::into_inner);
            let empty = || (0, ShardIndex::empty(sharding));
            let (len, index) = shards.entry(key.into()).or_insert_with(empty);
            index.set(inner, (*len, encoded.len() as u64));
            *len += encoded.len() as u64;
            *len - encoded.len() as u64
        };
        self.with(key, OFlags::empty(), |file| file.write_all_at(encoded, start))
    }
}

impl NewChunks for ZarrWriter {
    fn chunk(&self) -> &[usize] {
        &self.array.chunk
    }

    fn fill(&self) -> &[u8] {
        &self.array.fill
    }

    fn begin(&self, folder: OwnedFd) -> Result<(), String> {
        self.shards.lock().unwrap_or_else(PoisonError::into_inner).clear();
        *self.folder.write().unwrap_or_else(PoisonError::into_inner) = Some(folder);
        Ok(())
    }

    fn write(&self, chunk: usize, bytes: &[u8]) -> Result<(), String> {
        if is_all(bytes, &self.array.fill) {
            return Ok(());
        }
        let (key, inner) = self.array.place(chunk);
        let encoded = self.array.codec.encode(bytes)?;
        match self.array.sharding {
            None => self.with(&key, OFlags::EXCL, |mut file| file.write_all(&encoded)),
            Some(_) => self.add_to_shard(&key, inner, &encoded),
        }
    }

    fn file(&self, chunk: usize) -> String {
        self.array.place(chunk).0
    }

    fn shares_files(&self) -> bool {
        self.array.sharding.is_some()
    }

    fn end(&self, is_first: bool) -> Result<(), String> {
        let shards =
            std::mem::take(&mut *self.shards.lock().unwrap_or_else(PoisonError::into_inner));
        for (key, (len, index)) in shards {
            let index = with_sum(index.written())?;
            self.with(&key, OFlags::empty(), |file| file.write_all_at(&index, len))?;
        }
        if is_first {
            let name = NAMES[usize::from(self.array.version == 2)];
            self.with(name, OFlags::EXCL, |mut file| file.write_all(&self.text))?;
        }
        *self.folder.write().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }
}

/// Makes the folders of a name.
fn folders(own: BorrowedFd<'_>, key: &str) -> rustix::io::Result<()> {
    for (end, _) in key.match_indices('/') {
        match mkdirat(own, &key[..end], Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
