//! Chunks of an array that is written, each an object. Nobody takes them for an array before the
//! object that completes it is there.

use super::client::words;
use super::upload::{PART_BYTES, Place, Upload};
use crate::folder::FolderFiles;
use crate::watch::Watch;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutPayload};
use std::cell::Cell;
use std::collections::HashMap;

/// Most chunks that are under way at a time.
const AT_A_TIME: usize = 32;

/// The chunks of one array.
#[derive(Debug)]
pub struct SentChunks {
    /// The array's name.
    place: Place,
    /// Name of the file that completes the array.
    last: &'static str,
    /// The files of the array's folder but the last; `None` before it is complete.
    files: Option<FolderFiles>,
    /// Number of the files that may be at the store.
    sent: usize,
}

impl SentChunks {
    /// Looks at the objects below an array's name. Fails if there are some, but for chunks that a killed
    /// run has left, which are removed.
    pub fn begin(place: Place, last: &'static str, is_left: bool) -> Result<Self, String> {
        let own = Self { place, last, files: None, sent: 0 };
        own.place.store.wait(own.make_room(is_left))?;
        Ok(own)
    }

    async fn make_room(&self, is_left: bool) -> Result<(), String> {
        if self.place.found().await.map_err(|error| words(&error))?.is_some() {
            return Err(taken(&self.place.path));
        }
        let names = self.place.bucket.list(Some(&self.place.path));
        let mut names = names.map_ok(|meta| meta.location);
        let mut left = Vec::new();
        while let Some(name) = names.next().await {
            let name = name.map_err(|error| words(&error))?;
            if !(is_left && self.below(&name).is_some_and(is_chunk)) {
                return Err(taken(&name));
            }
            left.push(name);
        }
        self.delete(left).await.map_err(|error| words(&error))
    }

    /// Returns the name of an object below the array's.
    fn below<'n>(&self, name: &'n Path) -> Option<&'n str> {
        name.as_ref().strip_prefix(self.place.path.as_ref())?.strip_prefix('/')
    }

    /// Returns the object of a file.
    fn path(&self, file: &str) -> Result<Path, Error> {
        Ok(Path::parse(format!("{}/{file}", self.place.path))?)
    }

    async fn delete(&self, names: impl IntoIterator<Item = Path>) -> Result<(), Error> {
        let deleted = names.into_iter().map(|name| async move {
            match self.place.bucket.delete(&name).await {
                Err(Error::NotFound { .. }) => Ok(()),
                deleted => deleted,
            }
        });
        stream::iter(deleted).buffer_unordered(AT_A_TIME).try_collect().await
    }

    /// Takes the files of the folder, and returns the bytes of the last.
    pub fn list(&mut self, mut files: FolderFiles) -> Result<u64, String> {
        let len = files.take(self.last)?;
        // Those of several parts are sent one by one, behind the others.
        files.files.sort_by_key(|(_, len)| *len > PART_BYTES);
        self.files = Some(files);
        Ok(len)
    }

    /// Counts the bytes of all chunks.
    pub fn bytes(&self) -> u64 {
        self.files.iter().flat_map(|files| &files.files).map(|(_, len)| len).sum()
    }

    /// Reads bytes of the last file from a place on.
    pub fn read_last(&self, to: &mut [u8], place: u64) -> Result<(), String> {
        self.files.as_ref().ok_or("no folder")?.read(self.last, to, place)
    }

    /// Sends all chunks, and looks whether the store has them all.
    pub fn send(&mut self, memory: usize, watch: &dyn Watch) -> Result<(), String> {
        let Some(files) = &self.files else { return Ok(()) };
        let count = files.files.partition_point(|(_, len)| *len <= PART_BYTES);
        let (short, long) = files.files.split_at(count);
        let begun = Cell::new(0);
        let sent = self.place.store.wait(self.put(short, (&begun, memory), watch));
        self.sent = begun.get();
        sent?;
        for (name, len) in long {
            self.sent += 1;
            let path = self.path(name).map_err(|error| words(&error))?;
            let mut upload = Upload::begin(Place { path, ..self.place.clone() }, *len, None)?;
            let read = |to: &mut [u8], place: u64| files.read(name, to, place);
            let sent = upload.send(&read, memory, watch).and_then(|()| upload.complete());
            if let Err(error) = sent {
                upload.undo();
                return Err(format!("{name}: {error}"));
            }
        }
        self.place.store.wait(self.look(&files.files))
    }

    /// Sends chunks of one request each; `begun` counts them. After an error it begins none, and waits for
    /// those that are under way: one that comes behind its removal would stay.
    async fn put(
        &self,
        files: &[(String, u64)],
        (begun, memory): (&Cell<usize>, usize),
        watch: &dyn Watch,
    ) -> Result<(), String> {
        let longest = files.iter().map(|(_, len)| *len).max().unwrap_or(0).max(1);
        let at_a_time = (memory as u64 / longest).clamp(1, AT_A_TIME as u64) as usize;
        let failed = &Cell::new(false);
        let sent = files.iter().map(|(name, len)| {
            // Called in the order of the files.
            let is_begun = !failed.get();
            begun.set(begun.get() + usize::from(is_begun));
            async move {
                let put = if is_begun { self.put_one(name, *len).await } else { Ok(()) };
                failed.set(failed.get() || put.is_err());
                watch.add(*len);
                put.map_err(|error| format!("{name}: {error}"))
            }
        });
        let sent = stream::iter(sent).buffer_unordered(at_a_time);
        sent.fold(Ok(()), |all, own| async { all.and(own) }).await
    }

    async fn put_one(&self, name: &str, len: u64) -> Result<(), String> {
        let mut bytes = vec![0; len as usize];
        self.files.as_ref().ok_or("no folder")?.read(name, &mut bytes, 0)?;
        let path = self.path(name).map_err(|error| words(&error))?;
        let put = self.place.bucket.put(&path, PutPayload::from(bytes)).await;
        put.map(drop).map_err(|error| words(&error))
    }

    /// Fails unless the store has all chunks in their lengths: one that is lost would be read as the fill
    /// value.
    async fn look(&self, files: &[(String, u64)]) -> Result<(), String> {
        let mut missing: HashMap<&str, u64> =
            files.iter().map(|(name, len)| (name.as_str(), *len)).collect();
        let mut found = self.place.bucket.list(Some(&self.place.path));
        while let Some(meta) = found.next().await {
            let meta = meta.map_err(|error| words(&error))?;
            let name = self.below(&meta.location).unwrap_or_default();
            match missing.remove(name) {
                Some(len) if len == meta.size => {}
                Some(len) => {
                    return Err(format!(
                        "{name}: {len} bytes were sent, and the store has {}",
                        meta.size
                    ));
                }
                None => {
                    return Err(format!("{name}: somebody else has made this object meanwhile"));
                }
            }
        }
        match missing.keys().next() {
            None => Ok(()),
            Some(name) => Err(format!("{name}: was sent, and the store does not have it")),
        }
    }

    /// Removes all chunks from the store.
    pub fn remove(&mut self) -> Result<(), String> {
        let files = self.files.iter().flat_map(|files| &files.files).take(self.sent);
        let names: Result<Vec<Path>, Error> = files.map(|(name, _)| self.path(name)).collect();
        let removed = names.map(|names| self.place.store.wait(self.delete(names)));
        removed.and_then(|removed| removed).map_err(|error| words(&error))?;
        self.sent = 0;
        Ok(())
    }
}

fn taken(name: &Path) -> String {
    format!(
        "{name} is there, and a new array takes no such place; remove it, or write to another name"
    )
}

/// Returns `true` if a name below an array's may be that of a chunk: numbers, and signs between them.
fn is_chunk(name: &str) -> bool {
    let numbers = name.strip_prefix("c/").or(name.strip_prefix("c.")).unwrap_or(name);
    let mut numbers = numbers.split(['/', '.']);
    numbers.all(|number| !number.is_empty() && number.bytes().all(|sign| sign.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::is_chunk;

    #[test]
    fn chunks_are_told_from_other_objects() {
        for name in ["c/0/1", "c.0.1", "0.0", "12/3", "7"] {
            assert!(is_chunk(name), "{name}");
        }
        for name in ["", "c", "c/", "zarr.json", ".zarray", "c/0/zarr.json", "d/0", "0..1", "0/a"] {
            assert!(!is_chunk(name), "{name}");
        }
    }
}
