//! A rank's note for the harness: a file for each cell, in the job's folder, because exit status
//! and output do not tell ranks apart. Some launchers report success when a rank leaves before
//! `MPI_Finalize`.

use std::fs;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    Passed,
    Failed(String),
}

const PASSED: &str = "passed";

#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'p> {
    pub job: &'p Path,
    pub cell: usize,
}

impl Note {
    /// Its name appears when it is whole, because the harness may read at any time.
    pub fn write(&self, place: Place<'_>, rank: usize) {
        let text = match self {
            Note::Passed => PASSED,
            Note::Failed(why) => why,
        };
        let (whole, part) = (place.file(rank), place.job.join(format!("part-{rank}")));
        // Without a note the rank has failed, so this failure needs no report.
        let _ = fs::write(&part, text).and_then(|()| fs::rename(part, whole));
    }

    pub fn read(place: Place<'_>, rank: usize) -> Option<Self> {
        let text = fs::read_to_string(place.file(rank)).ok()?;
        Some(if text == PASSED { Note::Passed } else { Note::Failed(text) })
    }
}

impl Place<'_> {
    fn file(self, rank: usize) -> PathBuf {
        self.job.join(format!("cell-{}-rank-{rank}", self.cell))
    }
}
