//! Plays cells: a cell with its own launch, or lists that share a launch.

use crate::case::Launcher;
use crate::cell::Cell;
use crate::job::{Ended, GRACE, Job, Launch};
use crate::note::Note;
use crate::rank::ENDS;
use crate::verdict::{self, verdict};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::thread;
use std::time::{Duration, Instant};

/// Launches of a job that its launcher leaves running.
const LAUNCHES: usize = 2;

/// `Err` is a report for people.
pub(crate) type Result<T = ()> = std::result::Result<T, String>;

pub(crate) fn alone(cell: &Cell) -> Result {
    let mut ended = one(cell).map_err(|error| error.to_string())?;
    for _ in 0..LAUNCHES {
        if !is_left_alone(&ended) && !has_no_session(&ended) && !is_broken(&ended) {
            break;
        }
        ended = one(cell).map_err(|error| error.to_string())?;
    }
    verdict(&cell.case, &ended)
}

fn one(cell: &Cell) -> io::Result<Ended> {
    let (launcher, programs) = (cell.case.launcher, cell.programs.clone());
    let launch = Launch { launcher, programs, alone: true, time: None };
    let mut job = Job::start(&launch, std::slice::from_ref(cell))?;
    // Ranks begin later than their launcher, and so note later that they are still running.
    let status = job.wait(cell.case.limit + GRACE)?;
    if status.is_none() {
        job.end()?;
    }
    job.ended((0, cell), status, job.begun())
}

/// Returns `true` if all ranks have ended, but the launcher did not. MPICH 4.0's does so now and then
/// on several nodes after an abort, Open MPI 4.1's after an abort or when a rank was killed, whatever
/// the tested code.
fn is_left_alone(ended: &Ended) -> bool {
    let words = ["application called MPI_Abort", "MPI_ABORT was invoked"];
    let has_aborted = words.into_iter().any(|words| ended.output.contains(words));
    is_silent(ended) || ended.status.is_none() && (has_aborted || has_panicked(&ended.notes))
}

/// Returns `true` if the launcher did not end, and no rank has begun the cell: at its limit, one that
/// has notes that it is still running. Seen over MPICH 4.0 on several nodes; the cause is not known.
fn is_silent(ended: &Ended) -> bool {
    ended.status.is_none() && ended.notes.iter().all(Option::is_none)
}

/// Returns `true` if a rank has panicked, so that it aborts, and none was still running at its limit.
fn has_panicked(notes: &[Option<Note>]) -> bool {
    let says = |word: &str| {
        notes.iter().flatten().any(|note| matches!(note, Note::Failed(why) if why.contains(word)))
    };
    says("panicked at") && !says("still running")
}

/// Returns `true` if a signal that no test sent ended the launcher. Open MPI 4.1's ends so now and then
/// while it tells of an abort, whatever the tested code.
fn is_broken(ended: &Ended) -> bool {
    ended.status.is_some_and(|status| status.signal() == Some(SIGSEGV))
}

/// The signal of a process that uses memory which it does not have.
const SIGSEGV: i32 = 11;

/// Returns `true` if Open MPI's launcher has not begun, because another one removed the folder of all
/// sessions while this one made it.
fn has_no_session(ended: &Ended) -> bool {
    ended.output.contains("orte_session_dir failed")
}

/// Plays cells in one job, and the cells behind a cell that ends it in a second job. Results go to
/// `said`, which returns `false` to stop. With a `time`, no cell begins later than that.
pub(crate) fn list(
    mut cells: &[Cell],
    time: Option<Duration>,
    said: &mut dyn FnMut(&Cell, Result, Duration) -> bool,
) -> io::Result<()> {
    let end = time.map(|time| Instant::now() + time);
    let ranks = cells.iter().map(Cell::ranks).max().unwrap_or(0);
    let mut silent = 0;
    while !cells.is_empty() && end.is_none_or(|end| Instant::now() < end) {
        let time = end.map(|end| end.saturating_duration_since(Instant::now()));
        let launch = Launch { launcher: Launcher::Own, programs: vec![ranks], alone: false, time };
        let since = Instant::now();
        let may_be_silent = silent < LAUNCHES;
        let mut list = List {
            cells,
            played: 0,
            since,
            failed: None,
            goes_on: true,
            may_be_silent,
            silent: false,
        };
        let is_over = list.play(&launch, said)?;
        silent = if list.silent { silent + 1 } else { 0 };
        if is_over || !list.goes_on {
            break;
        }
        cells = &cells[list.played..];
    }
    Ok(())
}

struct List<'c> {
    cells: &'c [Cell],
    played: usize,
    since: Instant,
    /// Time of a rank's first failure in it.
    failed: Option<Instant>,
    goes_on: bool,
    /// A job in which no rank comes to its next cell is launched again.
    may_be_silent: bool,
    /// It was such a job.
    silent: bool,
}

impl List<'_> {
    fn play(
        &mut self,
        launch: &Launch,
        said: &mut dyn FnMut(&Cell, Result, Duration) -> bool,
    ) -> io::Result<bool> {
        let mut job = Job::start(launch, self.cells)?;
        let status = loop {
            // A rank's last note is there when the launcher has ended.
            let status = job.status()?;
            self.look(&job, said);
            if status.is_some() {
                break status;
            }
            if self.is_overdue(&job) {
                job.end()?;
                break None;
            }
            thread::sleep(Duration::from_millis(5));
        };
        let is_good = status.is_some_and(|status| status.success());
        if is_good && job.played() == Some(self.played) {
            return Ok(true);
        }
        // If all have passed, the end of the job has failed, with the last one of them.
        let number = self.played.min(self.cells.len() - 1);
        let cell = &self.cells[number];
        let ended = job.ended((number, cell), status, self.since)?;
        self.silent = self.may_be_silent && self.played < self.cells.len() && is_silent(&ended);
        if self.silent {
            eprintln!("no rank came to {cell}: its job is launched again");
            return Ok(false);
        }
        let report = match self.played == self.cells.len() {
            true => format!("the end of its job went wrong\n{}", verdict::report(&ended)),
            false => verdict::report(&ended),
        };
        self.goes_on &= said(cell, Err(report), self.since.elapsed());
        self.played = number + 1;
        Ok(false)
    }

    fn look(&mut self, job: &Job, said: &mut dyn FnMut(&Cell, Result, Duration) -> bool) {
        while let Some(cell) = self.cells.get(self.played) {
            let notes = job.notes(self.played, cell);
            if !notes.iter().all(|note| *note == Some(Note::Passed)) {
                break;
            }
            said(cell, Ok(()), self.since.elapsed());
            self.played += 1;
            self.since = Instant::now();
        }
    }

    /// Returns `true` past the current cell's limit, which a failed rank's launcher gets, too.
    fn is_overdue(&mut self, job: &Job) -> bool {
        let Some(cell) = self.cells.get(self.played) else {
            return self.since.elapsed() > ENDS + GRACE;
        };
        let notes = job.notes(self.played, cell);
        if self.failed.is_none() && notes.iter().any(|note| matches!(note, Some(Note::Failed(_)))) {
            self.failed = Some(Instant::now());
        }
        self.failed.is_some_and(|failed| failed.elapsed() > GRACE)
            || self.since.elapsed() > cell.case.limit + GRACE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::ExitStatus;

    #[test]
    fn launchers_are_left_alone_by_ranks_that_note_nothing() {
        let ended = |notes: [Option<Note>; 2], output: &str| Ended {
            status: None,
            elapsed: Duration::default(),
            notes: notes.into(),
            output: output.to_owned(),
        };
        let running = || Some(Note::Failed("still running after 20s".to_owned()));
        assert!(is_silent(&ended([None, None], "")));
        assert!(!is_silent(&ended([None, running()], "")), "a rank hangs");
        assert!(!is_silent(&ended([Some(Note::Passed), None], "")), "a rank has come to it");
        assert!(is_left_alone(&ended([None, None], "")));
        assert!(!is_left_alone(&ended([None, running()], "")), "a rank hangs");
        assert!(!is_left_alone(&ended([Some(Note::Passed), None], "")), "its rank has passed");
        assert!(is_left_alone(&ended([running(), None], "application called MPI_Abort(…)")));
        let panicked = || Some(Note::Failed("panicked at abort.rs:41:9: enough".to_owned()));
        assert!(is_left_alone(&ended([panicked(), Some(Note::Passed)], "")));
        assert!(!is_left_alone(&ended([panicked(), running()], "")), "a rank hangs");
    }

    #[test]
    fn launchers_that_use_others_memory_are_broken() {
        let ended = |status: i32| Ended {
            status: Some(ExitStatus::from_raw(status)),
            elapsed: Duration::default(),
            notes: Vec::new(),
            output: String::new(),
        };
        assert!(is_broken(&ended(SIGSEGV)));
        let other_ends = [0, 9, SIGSEGV << 8];
        assert!(other_ends.into_iter().all(|status| !is_broken(&ended(status))));
    }
}
