//! A launched rank's part: each cell of a list, or one cell with a launch of its own.

use crate::case::{Case, Outcome};
use crate::cell::Cell;
use crate::implementation::Implementation;
use crate::meeting::all_go_on;
use crate::note::{Note, Place};
use crate::output::MARK;
use crate::oversubscribed::share_cores;
use crate::ranks;
use crate::watch::Watch;
use redist::mpi::{Communicator, Programs, Threading, initialize_with};
use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

const VARIABLES: [&str; 5] = [
    "REDIST_MPI_JOB",
    "REDIST_MPI_OF",
    "REDIST_MPI_RANKS",
    "REDIST_MPI_ALONE",
    "REDIST_MPI_SECONDS",
];

/// Time for a job to end after its last cell.
pub(crate) const ENDS: Duration = Duration::from_secs(60);

/// A rank's knowledge of its job, from the environment, because launchers change arguments.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub job: PathBuf,
    pub of: String,
    pub ranks: usize,
    pub alone: bool,
    /// No cell of a list begins later than this; `None` if all are to be played.
    pub time: Option<Duration>,
}

static RANK: OnceLock<usize> = OnceLock::new();

/// The current cell, and in a list this rank's program in it.
static CURRENT: Mutex<Option<(String, Option<usize>)>> = Mutex::new(None);

/// The call that this rank is in, where a body has told it.
static DOING: Mutex<String> = Mutex::new(String::new());

/// Notes the call that this rank begins, which the report names if the cell hangs: `write` is given
/// an empty text.
pub fn doing(write: impl FnOnce(&mut String)) {
    let mut text = DOING.lock().unwrap_or_else(PoisonError::into_inner);
    text.clear();
    write(&mut text);
}

/// Returns the words about that call, or none.
pub(crate) fn what_it_does() -> String {
    let text = DOING.lock().unwrap_or_else(PoisonError::into_inner);
    if text.is_empty() { String::new() } else { format!(", in {text}") }
}

/// Returns this rank's number in the world; before MPI knows it, a number that no rank has.
pub(crate) fn number() -> usize {
    RANK.get().copied().unwrap_or(usize::MAX)
}

/// Returns the name of this process's case, for a body of many cases.
pub fn current_case() -> Option<String> {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|(name, _)| name.clone())
}

/// Returns the programs of this launch, or as a list's ranks represent them. Collective.
pub fn programs(world: &Communicator) -> Result<Programs, redist::Error> {
    let current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match current.and_then(|(_, program)| program) {
        Some(program) => Programs::numbered(world, program),
        None => Programs::of(world),
    }
}

pub(crate) fn list(job: &Path) -> PathBuf {
    job.join("cells")
}

pub(crate) fn played(job: &Path) -> PathBuf {
    job.join("played")
}

impl Part {
    pub fn environment(&self) -> impl Iterator<Item = (&'static str, String)> {
        let Part { job, of, ranks, alone, time } = self;
        let seconds = time.map(|time| time.as_secs_f64().to_string()).unwrap_or_default();
        let job = job.display().to_string();
        VARIABLES.into_iter().zip([job, of.clone(), ranks.to_string(), alone.to_string(), seconds])
    }

    pub fn of_this_process() -> Option<Self> {
        let [job, of, ranks, alone, seconds] = VARIABLES.map(|name| env::var(name).ok());
        let time = seconds?.parse().ok().map(Duration::from_secs_f64);
        let (ranks, alone) = (ranks?.parse().ok()?, alone? == "true");
        Some(Self { job: job?.into(), of: of?, ranks, alone, time })
    }

    pub fn play(self, cases: &[Case]) {
        let begun = Instant::now();
        let cells = self.cells(cases);
        let watch = Watch::new(cells[0].case.limit, self.job.clone());
        self.note_panics(&watch);
        let threading = if self.alone { cells[0].case.threading } else { Threading::Funneled };
        let environment =
            initialize_with(threading).unwrap_or_else(|error| self.ends(&watch, &error));
        share_cores(self.ranks);
        let world = environment.world().unwrap_or_else(|error| self.ends(&watch, &error));
        RANK.get_or_init(|| world.rank());
        if let Err(error) = self.check(&world) {
            self.fail(0, &error.to_string());
        }
        if self.alone {
            self.one(&cells[0], &world);
        } else {
            let played = self.each(&cells, &world, (&watch, begun));
            played.unwrap_or_else(|error| self.ends(&watch, &error));
        }
    }

    fn cells(&self, cases: &[Case]) -> Vec<Cell> {
        let known: BTreeMap<_, _> =
            Cell::all(cases).into_iter().map(|cell| (cell.to_string(), cell)).collect();
        let names = fs::read_to_string(list(&self.job)).expect("the harness writes a list");
        names.lines().map(|name| known.get(name).expect("the same cases").clone()).collect()
    }

    fn place(&self, cell: usize) -> Place<'_> {
        Place { job: &self.job, cell }
    }

    /// Checks the number of ranks and their library, because most tests would pass with others.
    fn check(&self, world: &Communicator) -> Outcome {
        let (size, of) = (world.size(), Implementation::of_this_rank().to_string());
        let Self { ranks, of: asked_for, .. } = self;
        let message = || {
            format!("a world of {size} ranks over {of}, not one of {ranks} over {asked_for}").into()
        };
        if (size, &of) == (*ranks, asked_for) { Ok(()) } else { Err(message()) }
    }

    /// Plays one cell. A panic unwinds to the end of the program, as a user's would.
    fn one(&self, cell: &Cell, world: &Communicator) {
        turn_to(cell, None);
        match (cell.case.body)(world) {
            Ok(()) => Note::Passed.write(self.place(0), number()),
            Err(error) => self.fail(0, &format!("returned an error: {error}")),
        }
    }

    /// Plays each cell. All ranks meet before each, so that only one runs at any time.
    fn each(
        &self,
        cells: &[Cell],
        world: &Communicator,
        (watch, begun): (&Watch, Instant),
    ) -> Result<(), redist_mpi::Error> {
        let meetings = world.duplicate()?;
        let mut number_of = 0;
        for cell in cells {
            let is_late = self.time.is_some_and(|time| begun.elapsed() > time);
            if !all_go_on(&meetings, !is_late) {
                break;
            }
            watch.begin(number_of, cell.case.limit);
            self.note_panics(watch);
            self.among_others(number_of, cell, world)?;
            number_of += 1;
        }
        all_go_on(&meetings, true);
        watch.begin(cells.len(), ENDS);
        if world.rank() == 0 {
            let _ = fs::write(played(&self.job), number_of.to_string());
        }
        Ok(())
    }

    /// Plays a cell on the first ranks of the world, which would have the same nodes in a world of
    /// their own.
    fn among_others(
        &self,
        number_of: usize,
        cell: &Cell,
        world: &Communicator,
    ) -> Result<(), redist_mpi::Error> {
        let (rank, is_in) = (number(), number() < cell.ranks());
        say(&format!("{MARK}{number_of}\n"));
        let all = cell.ranks() == self.ranks;
        let own = if all { Some(world.duplicate()?) } else { ranks::part(world, is_in)? };
        let Some(own) = own else { return Ok(()) };
        turn_to(cell, Some(cell.program(rank)));
        // Bodies that panic on purpose silence panics, also unintended ones.
        match panic::catch_unwind(AssertUnwindSafe(|| (cell.case.body)(&own))) {
            Ok(Ok(())) => {
                if cell.case.leaves_messages {
                    own.keep();
                }
                drop(own);
                Note::Passed.write(self.place(number_of), rank);
            }
            Ok(Err(error)) => self.fail(number_of, &format!("returned an error: {error}")),
            Err(panic) => self.fail(number_of, &format!("panicked: {}", words(&*panic))),
        }
        Ok(())
    }

    /// Ends after a failure of the library between cells, where this rank counts as first.
    fn ends(&self, watch: &Watch, error: &redist_mpi::Error) -> ! {
        RANK.get_or_init(|| 0);
        self.fail(watch.cell(), &error.to_string())
    }

    /// Ends the job with an error, because the other ranks may wait for this one.
    fn fail(&self, cell: usize, error: &str) -> ! {
        eprintln!("rank {} {error}", number());
        Note::Failed(error.to_owned()).write(self.place(cell), number());
        redist_mpi::abort(1)
    }

    fn note_panics(&self, watch: &Watch) {
        let (job, watch) = (self.job.clone(), watch.clone());
        panic::set_hook(Box::new(move |info| {
            let rank = number();
            let mut text = format!("rank {rank} {info}\n");
            let backtrace = Backtrace::capture();
            if backtrace.status() == BacktraceStatus::Captured {
                text += &backtrace.to_string();
            }
            say(&text);
            let place = Place { job: &job, cell: watch.cell() };
            Note::Failed(info.to_string()).write(place, rank);
        }));
        redist::mpi::abort_on_panic();
    }
}

/// Writes all at once: ranks share the output, and launchers take each write for a line.
fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

fn turn_to(cell: &Cell, program: Option<usize>) {
    doing(|_| ());
    *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) =
        Some((cell.case.name.to_owned(), program));
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("without words")
}
