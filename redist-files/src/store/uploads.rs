//! Objects that are written, all completed at the end or aborted.

use super::chunks::SentChunks;
use super::upload::{Place, Upload};
use crate::folder::Waiting;
use crate::watch::Watch;
use std::path::{Path, PathBuf};

/// All objects that a run writes. Those that are not completed are aborted when this is dropped.
#[derive(Debug, Default)]
pub struct Uploads(Vec<Named>);

/// An object that a file becomes, or that completes the array of a folder.
#[derive(Debug)]
struct Named {
    name: PathBuf,
    /// Number of the file or folder.
    number: usize,
    upload: Upload,
    /// Chunks of the array.
    chunks: Option<SentChunks>,
}

impl Uploads {
    /// Begins an object, which gets the bytes of the file of a number, and returns the upload's id.
    /// Aborts the upload that a killed run has left. Fails if the store does not take it.
    pub fn begin(
        &mut self,
        name: &Path,
        (number, len): (usize, u64),
        left: Option<&str>,
    ) -> Result<String, String> {
        let upload = Upload::begin(Place::of(name)?, len, left)?;
        let id = upload.id.clone();
        self.0.push(Named { name: name.to_owned(), number, upload, chunks: None });
        Ok(id)
    }

    /// Begins an array, which gets the files of the folder of a number, by the object that completes it.
    /// Removes the chunks that a killed run has left. Fails if other objects are below the array's name.
    pub fn begin_array(
        &mut self,
        (name, last): (&Path, &'static str),
        number: usize,
        left: Option<&str>,
    ) -> Result<String, String> {
        let place = Place::of(name)?;
        let id = self.begin(&name.join(last), (number, 0), left)?;
        let chunks = SentChunks::begin(place, last, left.is_some())?;
        if let Some(begun) = self.0.last_mut() {
            begun.chunks = Some(chunks);
        }
        Ok(id)
    }

    /// Sends the bytes of all objects, and all chunks. At most `memory` bytes are held, or one part.
    pub fn send(
        &mut self,
        waiting: &Waiting<'_>,
        memory: usize,
        watch: &dyn Watch,
    ) -> Result<(), String> {
        if self.0.is_empty() {
            return Ok(());
        }
        for Named { number, upload, chunks, .. } in &mut self.0 {
            let Some(chunks) = chunks else { continue };
            upload.len = chunks.list((waiting.folder)(*number)?)?;
        }
        watch.begin("sending", self.0.iter().map(Named::bytes).sum());
        for own in &mut self.0 {
            let sent = own.send(waiting, memory, watch);
            sent.map_err(|error| format!("{}: {error}", own.name.display()))?;
        }
        watch.end();
        Ok(())
    }

    /// Completes all objects. After an error, those that are new are removed.
    pub fn complete(&mut self) -> Result<(), String> {
        for number in 0..self.0.len() {
            if let Err(error) = self.0[number].upload.complete() {
                let name = self.0[number].name.display().to_string();
                return Err(format!("{name}: {error}{}", self.undo()));
            }
        }
        Ok(())
    }

    /// Aborts all, and removes those that are completed and new. Returns words on the others.
    fn undo(&mut self) -> String {
        let mut left = Vec::new();
        for own in &mut self.0 {
            if !own.upload.undo() {
                left.push(own.name.display().to_string());
            }
            // Those that stay are told of at the end.
            let _ = own.remove_chunks();
        }
        match left.as_slice() {
            [] => "; all objects are as before".into(),
            _ => format!("; these are new already: {}; all others are as before", left.join(", ")),
        }
    }
}

impl Drop for Uploads {
    fn drop(&mut self) {
        for own in &mut self.0 {
            let name = own.name.display().to_string();
            if own.upload.abort().is_err() {
                eprintln!(
                    "{name}: parts of an upload are left at the store, where no reader sees them; a \
                     lifecycle rule for incomplete uploads removes them"
                );
            }
            if let Err(error) = own.remove_chunks() {
                eprintln!(
                    "{name}: is not there, but chunks beside it are left at the store, which are no \
                     array; remove them ({error})"
                );
            }
        }
    }
}

impl Named {
    /// Counts the bytes that are sent.
    fn bytes(&self) -> u64 {
        self.upload.len + self.chunks.as_ref().map_or(0, SentChunks::bytes)
    }

    fn send(
        &mut self,
        waiting: &Waiting<'_>,
        memory: usize,
        watch: &dyn Watch,
    ) -> Result<(), String> {
        let Some(chunks) = &mut self.chunks else {
            let read = |to: &mut [u8], place: u64| (waiting.read)(self.number, to, place);
            return self.upload.send(&read, memory, watch);
        };
        chunks.send(memory, watch)?;
        let read = |to: &mut [u8], place: u64| chunks.read_last(to, place);
        self.upload.send(&read, memory, watch)
    }

    /// Removes the chunks of an array that is not completed.
    fn remove_chunks(&mut self) -> Result<(), String> {
        match &mut self.chunks {
            Some(chunks) if !self.upload.is_completed() => chunks.remove(),
            _ => Ok(()),
        }
    }
}
