//! What a rank leaves behind for the harness: a file in the job's folder.
//!
//! Exit status and output do not tell ranks apart, and some launchers call it success when a rank
//! leaves before `MPI_Finalize`. A rank without a note has not passed.

use std::fs;
use std::path::{Path, PathBuf};

/// How a rank's part ended, in its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    Passed,
    Failed(String),
}

const PASSED: &str = "passed";

impl Note {
    pub fn write(&self, job: &Path, rank: usize) {
        let text = match self {
            Note::Passed => PASSED,
            Note::Failed(why) => why,
        };
        // Without a note the rank has failed, so there is no rank to tell.
        let _ = fs::write(place(job, rank), text);
    }

    pub fn read(job: &Path, rank: usize) -> Option<Self> {
        let text = fs::read_to_string(place(job, rank)).ok()?;
        Some(if text == PASSED { Note::Passed } else { Note::Failed(text) })
    }
}

fn place(job: &Path, rank: usize) -> PathBuf {
    job.join(format!("rank-{rank}"))
}
