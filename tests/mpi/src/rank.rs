//! What a launched rank does: its part of one case.

use crate::case::{Case, Outcome};
use crate::note::Note;
use crate::oversubscribed::share_cores;
use mpi::Threading;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::env;
use std::io::{self, Write};
use std::panic;
use std::path::PathBuf;
use std::process;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

/// Names of the variables that tell a rank its part.
const VARIABLES: [&str; 4] =
    ["REDIST_MPI_CASE", "REDIST_MPI_RANKS", "REDIST_MPI_LIMIT", "REDIST_MPI_JOB"];

/// What a rank is told about its job, through the environment: launchers differ in what they do to
/// arguments.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub case: String,
    pub ranks: usize,
    pub limit: Duration,
    /// The job's folder.
    pub job: PathBuf,
}

/// This rank's number, once MPI has told it.
static RANK: OnceLock<usize> = OnceLock::new();

/// The name of the case that this process is a rank of, which a body of many cases looks at.
pub fn current_case() -> Option<String> {
    env::var(VARIABLES[0]).ok()
}

impl Part {
    pub fn environment(&self) -> impl Iterator<Item = (&'static str, String)> {
        let Part { case, ranks, limit, job } = self;
        let values = [
            case.clone(),
            ranks.to_string(),
            limit.as_secs().to_string(),
            job.display().to_string(),
        ];
        VARIABLES.into_iter().zip(values)
    }

    /// `None` in the harness itself.
    pub fn of_this_process() -> Option<Self> {
        let [case, ranks, limit, job] = VARIABLES.map(|name| env::var(name).ok());
        let limit = Duration::from_secs(limit?.parse().ok()?);
        Some(Self { case: case?, ranks: ranks?.parse().ok()?, limit, job: job?.into() })
    }

    /// Plays it, and ends the process.
    pub fn play(self, cases: &[Case]) {
        self.watch();
        self.note_panics();
        let (universe, _) =
            mpi::initialize_with_threading(Threading::Funneled).expect("MPI is initialized once");
        share_cores(self.ranks);
        let world = universe.world();
        let rank = *RANK.get_or_init(|| world.rank() as usize);
        let case = cases
            .iter()
            .find(|case| case.name == self.case)
            .expect("the harness has the same cases");
        match self.check(&world).and_then(|()| (case.body)(&world)) {
            Ok(()) => Note::Passed.write(&self.job, rank),
            Err(error) => self.fail(&world, &error.to_string()),
        }
    }

    /// The launcher of another MPI starts every rank as a world of its own, in which most tests
    /// would pass.
    fn check(&self, world: &SimpleCommunicator) -> Outcome {
        let (size, ranks) = (world.size() as usize, self.ranks);
        let library = crate::implementation::version();
        let message = || {
            format!(
                "a world of {size} ranks, not of {ranks}: the launcher does not belong to {library}"
            )
        };
        if size == ranks { Ok(()) } else { Err(message().into()) }
    }

    /// The other ranks may wait for this one, so an error ends the job.
    fn fail(&self, world: &SimpleCommunicator, error: &str) -> ! {
        eprintln!("rank {} returned an error: {error}", world.rank());
        Note::Failed(format!("returned an error: {error}")).write(&self.job, world.rank() as usize);
        world.abort(1)
    }

    /// Notes a panic, then lets the library's hook end the job. The message is written in one go:
    /// ranks share the output.
    fn note_panics(&self) {
        let job = self.job.clone();
        panic::set_hook(Box::new(move |info| {
            let rank = RANK.get().copied().unwrap_or(usize::MAX);
            let mut text = format!("rank {rank} {info}\n");
            let backtrace = Backtrace::capture();
            if backtrace.status() == BacktraceStatus::Captured {
                text += &backtrace.to_string();
            }
            let _ = io::stderr().write_all(text.as_bytes());
            Note::Failed(info.to_string()).write(&job, rank);
        }));
        redist::mpi::abort_on_panic();
    }

    /// Says so if this rank still runs at the limit, and ends it a while later if the launcher does
    /// not.
    fn watch(&self) {
        let (limit, job) = (self.limit, self.job.clone());
        thread::spawn(move || {
            thread::sleep(limit);
            let rank = RANK.get().copied().unwrap_or(usize::MAX);
            if Note::read(&job, rank).is_none() {
                eprintln!("rank {rank} is still running after {limit:?}");
                Note::Failed(format!("still running after {limit:?}")).write(&job, rank);
            }
            thread::sleep(Duration::from_secs(5));
            process::abort();
        });
    }
}
