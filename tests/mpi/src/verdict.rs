//! Notes, exit status and output → passed or failed.

use crate::case::{Case, Expect};
use crate::job::Ended;
use crate::note::Note;
use std::time::Duration;

/// Longest time between a job's limit and the report of its failure.
const REPORT: Duration = Duration::from_secs(10);

pub(crate) fn verdict(case: &Case, job: &Ended) -> Result<(), String> {
    match (case.expect, passed(job)) {
        (Expect::Pass, true) => Ok(()),
        (Expect::Pass, false) => Err(report(job)),
        (Expect::Failure(_), true) => Err("should have failed, but every rank passed".to_owned()),
        (Expect::Failure(words), false) => as_expected(words, case.limit, job),
    }
}

fn passed(job: &Ended) -> bool {
    job.status.is_some_and(|status| status.success())
        && job.notes.iter().all(|note| *note == Some(Note::Passed))
}

fn as_expected(words: &[&str], limit: Duration, job: &Ended) -> Result<(), String> {
    let report = report(job);
    let missing: Vec<_> = words.iter().filter(|word| !report.contains(*word)).collect();
    match () {
        () if !missing.is_empty() => Err(format!("the report lacks {missing:?}:\n{report}")),
        () if job.elapsed > limit + REPORT => {
            Err(format!("it took {:?} to report:\n{report}", job.elapsed))
        }
        () => Ok(()),
    }
}

pub(crate) fn report(job: &Ended) -> String {
    let status = job.status.map_or("did not end".to_owned(), |status| status.to_string());
    let mut text = format!("launcher: {status} after {:.1} s", job.elapsed.as_secs_f64());
    for (rank, note) in job.notes.iter().enumerate() {
        text += &format!("\nrank {rank}: {}", words(note));
    }
    text + "\n---- output of all ranks:\n" + &job.output
}

fn words(note: &Option<Note>) -> &str {
    match note {
        Some(Note::Passed) => "passed",
        Some(Note::Failed(why)) => why,
        None => "ended without a word",
    }
}
