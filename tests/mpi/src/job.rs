//! One job: start, end, notes and output.

use crate::case::Launcher;
use crate::cell::Cell;
use crate::implementation::Implementation;
use crate::note::{Note, Place};
use crate::output;
use crate::rank::{self, Part};
use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio, id};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Time for a launcher to end its ranks on request, before it is killed.
pub(crate) const GRACE: Duration = Duration::from_secs(4);

#[derive(Debug)]
pub(crate) struct Ended {
    /// `None` if it ran into its limit.
    pub status: Option<ExitStatus>,
    pub elapsed: Duration,
    pub notes: Vec<Option<Note>>,
    pub output: String,
}

struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Self> {
        static JOBS: AtomicUsize = AtomicUsize::new(0);
        let name = format!("redist-mpi-{}-{}", id(), JOBS.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) struct Launch {
    pub launcher: Launcher,
    pub programs: Vec<usize>,
    pub alone: bool,
    pub time: Option<Duration>,
}

/// Dropping it ends it.
pub(crate) struct Job {
    folder: Folder,
    launcher: Child,
    begun: Instant,
    status: Option<ExitStatus>,
}

impl Job {
    /// Starts a process group, so that all of it can be killed. Output goes to a file, because a
    /// rank that outlives the launcher would hold a pipe open.
    pub fn start(launch: &Launch, cells: &[Cell]) -> io::Result<Self> {
        let folder = Folder::new()?;
        let names: String = cells.iter().map(|cell| format!("{cell}\n")).collect();
        fs::write(rank::list(&folder.0), names)?;
        let Launch { programs, alone, time, .. } = launch;
        let (job, ranks) = (folder.0.clone(), programs.iter().sum());
        let of = Implementation::asked_for().to_string();
        let part = Part { job, of, ranks, alone: *alone, time: *time };
        let output = File::create(folder.0.join("output"))?;
        let program = std::env::current_exe()?;
        let mut command = Implementation::asked_for().command(launch.launcher, &program, programs);
        command.envs(part.environment()).process_group(0);
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        let name = command.get_program().to_string_lossy().into_owned();
        let launcher = command.spawn().map_err(|error| {
            io::Error::new(error.kind(), format!("cannot start {name}: {error}"))
        })?;
        Ok(Self { folder, launcher, begun: Instant::now(), status: None })
    }

    pub fn status(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.status.is_none() {
            self.status = self.launcher.try_wait()?;
        }
        Ok(self.status)
    }

    pub fn wait(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        let end = Instant::now() + limit;
        loop {
            match self.status()? {
                None if Instant::now() < end => thread::sleep(Duration::from_millis(5)),
                status => return Ok(status),
            }
        }
    }

    /// Asks the launcher to end its ranks, or kills its group; other groups end themselves.
    pub fn end(&mut self) -> io::Result<()> {
        let leader = self.launcher.id();
        signal("-TERM", &leader.to_string())?;
        if self.wait(GRACE)?.is_none() {
            signal("-KILL", &format!("-{leader}"))?;
            self.status = Some(self.launcher.wait()?);
        }
        Ok(())
    }

    pub fn notes(&self, number: usize, cell: &Cell) -> Vec<Option<Note>> {
        let place = Place { job: &self.folder.0, cell: number };
        (0..cell.ranks()).map(|rank| Note::read(place, rank)).collect()
    }

    pub fn played(&self) -> Option<usize> {
        fs::read_to_string(rank::played(&self.folder.0)).ok()?.parse().ok()
    }

    pub fn ended(
        &self,
        (number, cell): (usize, &Cell),
        status: Option<ExitStatus>,
        since: Instant,
    ) -> io::Result<Ended> {
        let output = fs::read(self.folder.0.join("output"))?;
        let output = output::of_cell(&String::from_utf8_lossy(&output), number);
        let notes = self.notes(number, cell);
        Ok(Ended { status, elapsed: since.elapsed(), notes, output })
    }

    pub fn begun(&self) -> Instant {
        self.begun
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if self.status.is_none() {
            let _ = self.end();
        }
    }
}

fn signal(name: &str, to: &str) -> io::Result<ExitStatus> {
    Command::new("kill").args([name, "--", to]).stderr(Stdio::null()).status()
}
