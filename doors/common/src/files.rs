//! Arrays in files: one run over a manifest, as of the command line.

use redist_files::{ArrayOutcome, FilesError, Manifest, Run, RunOptions, Watch};
use serde_json::json;
use std::sync::{Mutex, PoisonError};

/// Work of a run over a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileWork {
    /// Writes the destinations.
    Convert,
    /// Compares them with the sources.
    Compare,
}

/// Arrays of a run that is done, or its failure, with the run's warnings.
pub struct FileRun {
    pub arrays: Result<Vec<ArrayOutcome>, FilesError>,
    pub warnings: Vec<String>,
}

impl FileRun {
    /// Runs over all arrays of a manifest, in this process alone.
    pub fn of(manifest: &Manifest, options: RunOptions, work: FileWork) -> Self {
        let watch = Warnings::default();
        let arrays = worked(manifest, options, (work, &watch));
        let warnings = watch.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        Self { arrays, warnings }
    }

    /// Returns the arrays and the warnings as JSON.
    ///
    /// # Errors
    /// The run has failed.
    pub fn into_json(self) -> Result<String, FilesError> {
        let arrays: Vec<_> = self.arrays?.iter().map(described).collect();
        Ok(json!({ "arrays": arrays, "warnings": self.warnings }).to_string())
    }
}

fn worked(
    manifest: &Manifest,
    options: RunOptions,
    (work, watch): (FileWork, &Warnings),
) -> Result<Vec<ArrayOutcome>, FilesError> {
    let least = RunOptions::MIN_MEMORY;
    if options.memory < least || options.threads == Some(0) {
        let words = format!("memory is at least {least} bytes, and threads at least 1");
        return Err(FilesError::Asked(words));
    }
    let mut run = Run::new(options, watch);
    manifest.add_to(&mut run)?;
    match work {
        FileWork::Convert => run.convert(),
        FileWork::Compare => run.compare(),
    }
}

fn described(array: &ArrayOutcome) -> serde_json::Value {
    json!({
        "name": array.name,
        "bytes": array.bytes,
        "element_bytes": array.element_bytes,
        "files": array.files,
        "checksum": array.checksum,
        "kept": array.kept,
        "seconds": array.seconds,
    })
}

/// Keeps warnings for the caller, each once.
#[derive(Default)]
struct Warnings(Mutex<Vec<String>>);

impl Watch for Warnings {
    fn begin(&self, _what: &'static str, _bytes: u64) {}

    fn add(&self, _bytes: u64) {}

    fn end(&self) {}

    fn warn(&self, words: &str) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !told.iter().any(|other| other == words) {
            told.push(words.into());
        }
    }
}
