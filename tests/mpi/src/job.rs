//! One job: start, time limit, output.

use crate::case::Case;
use crate::implementation::Implementation;
use crate::note::Note;
use crate::rank::Part;
use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio, id};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What a launcher gets to end its ranks when asked to, before it is killed.
const GRACE: Duration = Duration::from_secs(4);

/// What is left of a job.
#[derive(Debug)]
pub(crate) struct Ended {
    /// `None` if it was still running at its limit.
    pub status: Option<ExitStatus>,
    pub elapsed: Duration,
    /// One for each rank.
    pub notes: Vec<Option<Note>>,
    /// What all ranks and the launcher wrote, as it came.
    pub output: String,
}

/// A job's folder, which goes when the job has ended.
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

/// Runs a case's job to its end, or to its limit.
pub(crate) fn run(case: &Case, programs: &[usize]) -> io::Result<Ended> {
    let (folder, ranks) = (Folder::new()?, programs.iter().sum());
    let part = Part { case: case.name.to_owned(), ranks, limit: case.limit, job: folder.0.clone() };
    let begun = Instant::now();
    let mut launcher = start(case, &part, programs)?;
    let status = wait(&mut launcher, case.limit + GRACE / 4)?;
    if status.is_none() {
        end(&mut launcher)?;
    }
    let notes = (0..ranks).map(|rank| Note::read(&folder.0, rank)).collect();
    let output = String::from_utf8_lossy(&fs::read(folder.0.join("output"))?).into_owned();
    Ok(Ended { status, elapsed: begun.elapsed(), notes, output })
}

/// The launcher leads a process group, so that all of it can be killed. Its output goes to a file:
/// a rank that outlives the launcher would hold a pipe open.
fn start(case: &Case, part: &Part, programs: &[usize]) -> io::Result<Child> {
    let output = File::create(part.job.join("output"))?;
    let mut command =
        Implementation::linked().command(case.launcher, &std::env::current_exe()?, programs);
    command.envs(part.environment()).process_group(0);
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    let launcher = command.get_program().to_string_lossy().into_owned();
    command
        .spawn()
        .map_err(|error| io::Error::new(error.kind(), format!("cannot start {launcher}: {error}")))
}

fn wait(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let end = Instant::now() + limit;
    loop {
        match child.try_wait()? {
            None if Instant::now() < end => thread::sleep(Duration::from_millis(5)),
            status => return Ok(status),
        }
    }
}

/// Asks the launcher to end its ranks; kills its group if it does not. Ranks that even this does
/// not reach, because the launcher gave them groups of their own, end themselves.
fn end(launcher: &mut Child) -> io::Result<()> {
    let leader = launcher.id();
    signal("-TERM", &leader.to_string())?;
    if wait(launcher, GRACE)?.is_none() {
        signal("-KILL", &format!("-{leader}"))?;
        launcher.wait()?;
    }
    Ok(())
}

fn signal(name: &str, to: &str) -> io::Result<ExitStatus> {
    Command::new("kill").args([name, "--", to]).stderr(Stdio::null()).status()
}
