//! Objects that are written: in parts, which no reader sees, and all completed at the end or aborted.

use super::client::{Store, key, words};
use crate::address::Address;
use crate::watch::Watch;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use object_store::aws::AmazonS3;
use object_store::multipart::{MultipartStore, PartId};
use object_store::path::Path;
use object_store::{Error, GetOptions, ObjectMeta, ObjectStore, ObjectStoreExt, PutPayload};
use std::path::PathBuf;
use std::sync::Arc;

/// Bytes of a part, unless an object has more than 10 000 of them.
const PART_BYTES: u64 = 8 << 20;

/// Most parts of an object.
const MAX_PARTS: u64 = 10_000;

/// Most parts that are under way at a time.
const AT_A_TIME: usize = 8;

/// Reads bytes of the file of a number, from a byte on.
type ReadPart<'a> = &'a dyn Fn(usize, &mut [u8], u64) -> Result<(), String>;

/// All objects that a run writes. Those that are not completed are aborted when this is dropped.
#[derive(Debug, Default)]
pub struct Uploads(Vec<Upload>);

/// One object that is written.
#[derive(Debug)]
struct Upload {
    name: PathBuf,
    store: Arc<Store>,
    bucket: Arc<AmazonS3>,
    path: Path,
    id: String,
    /// Number of the file whose bytes it gets.
    number: usize,
    /// Bytes.
    len: u64,
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
    /// The store has forgotten all parts.
    Aborted,
}

impl Uploads {
    /// Begins an object, which gets the bytes of the file of a number, and returns the upload's id.
    /// Aborts the upload that a killed run has left. Fails if the store does not take it.
    pub fn begin(
        &mut self,
        name: &std::path::Path,
        (number, len): (usize, u64),
        left: Option<&str>,
    ) -> Result<String, String> {
        let address = Address::parse(name)?;
        let (store, path) = (Store::of(&address)?, key(&address)?);
        let bucket = store.bucket.clone().ok_or("no store that is written to")?;
        let begun = store.wait(async {
            if let Some(left) = left {
                // The store may have forgotten it, or a lifecycle rule has aborted it.
                let _ = bucket.abort_multipart(&path, &left.to_owned()).await;
            }
            let before = found(&bucket, &path).await?;
            Ok::<_, Error>((before, bucket.create_multipart(&path).await?))
        });
        let (before, id) = begun.map_err(|error| words(&error))?;
        let (name, parts, stage, own) = (name.to_owned(), Vec::new(), Stage::Begun, id.clone());
        self.0.push(Upload { name, store, bucket, path, id, number, len, parts, stage, before });
        Ok(own)
    }

    /// Sends the bytes of all objects. At most `memory` bytes of parts are held, or one part.
    pub fn send(
        &mut self,
        read: ReadPart<'_>,
        memory: usize,
        watch: &dyn Watch,
    ) -> Result<(), String> {
        if self.0.is_empty() {
            return Ok(());
        }
        watch.begin("sending", self.0.iter().map(|upload| upload.len).sum());
        for upload in &mut self.0 {
            let named = |error| format!("{}: {error}", upload.name.display());
            upload.parts = upload.send(read, memory, watch).map_err(named)?;
        }
        watch.end();
        Ok(())
    }

    /// Completes all objects. After an error, those that are new are removed.
    pub fn complete(&mut self) -> Result<(), String> {
        for number in 0..self.0.len() {
            if let Err(error) = self.0[number].complete() {
                let name = self.0[number].name.display().to_string();
                return Err(format!("{name}: {error}{}", self.undo()));
            }
        }
        Ok(())
    }

    /// Aborts all, and removes those that are completed and new. Returns words on the others.
    fn undo(&mut self) -> String {
        let mut left = Vec::new();
        for upload in &mut self.0 {
            if !upload.undo() {
                left.push(upload.name.display().to_string());
            }
        }
        match left.as_slice() {
            [] => "; all objects are as before".into(),
            _ => format!("; these are new already: {}; all others are as before", left.join(", ")),
        }
    }
}

impl Drop for Uploads {
    fn drop(&mut self) {
        for upload in &mut self.0 {
            if upload.stage == Stage::Begun && upload.abort().is_err() {
                eprintln!(
                    "{}: parts of an upload are left at the store, where no reader sees them; a \
                     lifecycle rule for incomplete uploads removes them",
                    upload.name.display()
                );
            }
        }
    }
}

async fn found(bucket: &AmazonS3, path: &Path) -> Result<Option<ObjectMeta>, Error> {
    let options = GetOptions { head: true, ..GetOptions::default() };
    match bucket.get_opts(path, options).await {
        Err(Error::NotFound { .. }) => Ok(None),
        found => found.map(|found| Some(found.meta)),
    }
}

/// Returns the bytes of each part but the last.
fn part_bytes(len: u64) -> u64 {
    PART_BYTES.max(len.div_ceil(MAX_PARTS).next_multiple_of(1 << 20))
}

impl Upload {
    /// Sends all parts, and returns their names in their order.
    fn send(
        &self,
        read: ReadPart<'_>,
        memory: usize,
        watch: &dyn Watch,
    ) -> Result<Vec<PartId>, String> {
        let part = part_bytes(self.len);
        let at_a_time = (memory as u64 / part).clamp(1, AT_A_TIME as u64) as usize;
        let sent = (0..self.len.div_ceil(part).max(1)).map(|number| async move {
            let start = number * part;
            let len = part.min(self.len - start);
            let mut bytes = vec![0; len as usize];
            read(self.number, &mut bytes, start)?;
            let sent = self.bucket.put_part(
                &self.path,
                &self.id,
                number as usize,
                PutPayload::from(bytes),
            );
            let id = sent.await.map_err(|error| words(&error))?;
            watch.add(len);
            Ok::<_, String>(id)
        });
        self.store.wait(stream::iter(sent).buffered(at_a_time).try_collect())
    }

    fn complete(&mut self) -> Result<(), String> {
        let parts = std::mem::take(&mut self.parts);
        let completed = self.bucket.complete_multipart(&self.path, &self.id, parts);
        match self.store.wait(completed) {
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
        match self.store.wait(found(&self.bucket, &self.path)) {
            Ok(Some(meta)) => {
                meta.size == self.len && self.before.as_ref().map(known) != Some(known(&meta))
            }
            _ => false,
        }
    }

    /// Aborts the upload. A store that does not know it any more has completed it.
    fn abort(&mut self) -> Result<(), Error> {
        match self.store.wait(self.bucket.abort_multipart(&self.path, &self.id)) {
            Ok(()) => self.stage = Stage::Aborted,
            Err(Error::NotFound { .. }) => self.stage = Stage::Completed,
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Takes the object back. Returns `false` if it is not as it was before.
    fn undo(&mut self) -> bool {
        if self.stage == Stage::Begun && self.abort().is_err() {
            // Its parts are left, and nobody sees them.
            return true;
        }
        match (self.stage, self.before.is_none()) {
            (Stage::Completed, true) => self.store.wait(self.bucket.delete(&self.path)).is_ok(),
            (Stage::Completed, false) => false,
            _ => true,
        }
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
