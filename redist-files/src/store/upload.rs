//! An object that is written: in parts, which no reader sees before it is completed.

use super::client::{Store, key, words};
use crate::address::Address;
use crate::watch::Watch;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use object_store::aws::AmazonS3;
use object_store::multipart::{MultipartStore, PartId};
use object_store::path::Path;
use object_store::{Error, GetOptions, ObjectMeta, ObjectStore, ObjectStoreExt, PutPayload};
use std::sync::Arc;

/// Bytes of a part, unless an object has more than 10 000 of them.
pub const PART_BYTES: u64 = 8 << 20;

/// Most parts of an object.
const MAX_PARTS: u64 = 10_000;

/// Most parts that are under way at a time.
const AT_A_TIME: usize = 8;

/// Reads bytes of what an object gets, from a byte on.
pub type ReadPart<'a> = &'a dyn Fn(&mut [u8], u64) -> Result<(), String>;

/// A bucket, and the name of an object in it.
#[derive(Clone, Debug)]
pub struct Place {
    pub store: Arc<Store>,
    pub bucket: Arc<AmazonS3>,
    pub path: Path,
}

/// One object that is written.
#[derive(Debug)]
pub struct Upload {
    place: Place,
    pub id: String,
    /// Bytes.
    pub len: u64,
    parts: Vec<PartId>,
    stage: Stage,
    /// The object of this name before.
    before: Option<ObjectMeta>,
}

/// A stage of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Readers see nothing of it.
    Begun,
    Completed,
    /// The store has forgotten all parts, or has removed the object again.
    Gone,
}

impl Place {
    /// Finds the place of an object that is written.
    pub fn of(name: &std::path::Path) -> Result<Self, String> {
        let address = Address::parse(name)?;
        let (store, path) = (Store::of(&address)?, key(&address)?);
        let bucket = store.bucket.clone().ok_or("no store that is written to")?;
        Ok(Self { store, bucket, path })
    }

    /// Finds the object of this name; `None` if there is none.
    pub async fn found(&self) -> Result<Option<ObjectMeta>, Error> {
        let options = GetOptions { head: true, ..GetOptions::default() };
        match self.bucket.get_opts(&self.path, options).await {
            Err(Error::NotFound { .. }) => Ok(None),
            found => found.map(|found| Some(found.meta)),
        }
    }
}

/// Returns the bytes of each part but the last.
fn part_bytes(len: u64) -> u64 {
    PART_BYTES.max(len.div_ceil(MAX_PARTS).next_multiple_of(1 << 20))
}

impl Upload {
    /// Begins an object of `len` bytes. Aborts the upload that a killed run has left. Fails if the store
    /// does not take it.
    pub fn begin(place: Place, len: u64, left: Option<&str>) -> Result<Self, String> {
        let begun = place.store.wait(async {
            if let Some(left) = left {
                // The store may have forgotten it, or a lifecycle rule has aborted it.
                let _ = place.bucket.abort_multipart(&place.path, &left.to_owned()).await;
            }
            let before = place.found().await?;
            Ok::<_, Error>((before, place.bucket.create_multipart(&place.path).await?))
        });
        let (before, id) = begun.map_err(|error| words(&error))?;
        Ok(Self { place, id, len, parts: Vec::new(), stage: Stage::Begun, before })
    }

    /// Sends all parts. At most `memory` bytes are held, or one part.
    pub fn send(
        &mut self,
        read: ReadPart<'_>,
        memory: usize,
        watch: &dyn Watch,
    ) -> Result<(), String> {
        let (part, own) = (part_bytes(self.len), &*self);
        let at_a_time = (memory as u64 / part).clamp(1, AT_A_TIME as u64) as usize;
        let sent = (0..self.len.div_ceil(part).max(1)).map(|number| async move {
            let start = number * part;
            let len = part.min(own.len - start);
            let mut bytes = vec![0; len as usize];
            read(&mut bytes, start)?;
            let Place { bucket, path, .. } = &own.place;
            let sent = bucket.put_part(path, &own.id, number as usize, PutPayload::from(bytes));
            let id = sent.await.map_err(|error| words(&error))?;
            watch.add(len);
            Ok::<_, String>(id)
        });
        let sent = stream::iter(sent).buffered(at_a_time).try_collect();
        // In their order.
        self.parts = self.place.store.wait(sent)?;
        Ok(())
    }

    pub fn complete(&mut self) -> Result<(), String> {
        let (parts, Place { store, bucket, path }) = (std::mem::take(&mut self.parts), &self.place);
        match store.wait(bucket.complete_multipart(path, &self.id, parts)) {
            // The answer to a request before was lost, and the store knows the upload no more.
            Err(Error::NotFound { .. }) if self.is_there() => {}
            completed => completed.map(drop).map_err(|error| words(&error))?,
        }
        self.stage = Stage::Completed;
        Ok(())
    }

    /// Returns `true` if there is a new object of these bytes.
    fn is_there(&self) -> bool {
        let known = |meta: &ObjectMeta| (meta.e_tag.clone(), meta.last_modified);
        match self.place.store.wait(self.place.found()) {
            Ok(Some(meta)) => {
                meta.size == self.len && self.before.as_ref().map(known) != Some(known(&meta))
            }
            _ => false,
        }
    }

    /// Aborts the upload, unless it is completed. A store that does not know it any more has completed
    /// it.
    pub fn abort(&mut self) -> Result<(), Error> {
        if self.stage != Stage::Begun {
            return Ok(());
        }
        let Place { store, bucket, path } = &self.place;
        match store.wait(bucket.abort_multipart(path, &self.id)) {
            Ok(()) => self.stage = Stage::Gone,
            Err(Error::NotFound { .. }) => self.stage = Stage::Completed,
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Takes the object back. Returns `false` if it is not as it was before.
    pub fn undo(&mut self) -> bool {
        if self.abort().is_err() {
            // Its parts are left, and nobody sees them.
            return true;
        }
        let Place { store, bucket, path } = &self.place;
        match (self.stage, self.before.is_none()) {
            (Stage::Completed, true) if store.wait(bucket.delete(path)).is_ok() => {
                self.stage = Stage::Gone;
                true
            }
            (Stage::Completed, _) => false,
            _ => true,
        }
    }

    pub fn is_completed(&self) -> bool {
        self.stage == Stage::Completed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_few_and_of_one_length() {
        for len in [0, 1, PART_BYTES, PART_BYTES + 1, 90 << 30, 5 << 40] {
            let part = part_bytes(len);
            assert!(part >= PART_BYTES && len.div_ceil(part) <= MAX_PARTS, "{len} {part}");
        }
        assert_eq!(part_bytes(5 << 30), PART_BYTES);
    }
}
