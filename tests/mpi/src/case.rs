//! What a test consists of, and what it should end like.

use mpi::topology::SimpleCommunicator;
use std::error::Error;
use std::time::Duration;

/// What a rank's part of a test returns.
pub type Outcome = Result<(), Box<dyn Error>>;

/// A rank's part of a test; it is given the world.
pub type Body = fn(&SimpleCommunicator) -> Outcome;

/// A test: one job for each number of ranks.
#[derive(Clone, Copy)]
pub struct Case {
    /// What it is called in filters and reports.
    pub name: &'static str,
    /// The numbers of ranks that it is run with.
    pub ranks: &'static [usize],
    /// Ranks of further programs in the same launch.
    pub(crate) beside: &'static [usize],
    pub(crate) body: Body,
    pub(crate) expect: Expect,
    pub(crate) limit: Duration,
    pub(crate) launcher: Launcher,
    pub(crate) ignored: bool,
    pub(crate) on_one_node: bool,
}

/// How a job should end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expect {
    /// Every rank passes.
    Pass,
    /// The harness reports a failure, and the report contains these words.
    Failure(&'static [&'static str]),
}

/// Whose launcher starts the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Launcher {
    /// That of the linked MPI.
    Own,
    /// That of the other MPI, which is a mistake.
    Foreign,
}

impl Case {
    /// A test that every rank should pass.
    pub const fn new(name: &'static str, ranks: &'static [usize], body: Body) -> Self {
        let (expect, limit) = (Expect::Pass, Duration::from_secs(120));
        Self {
            name,
            ranks,
            beside: &[],
            body,
            expect,
            limit,
            launcher: Launcher::Own,
            ignored: false,
            on_one_node: false,
        }
    }

    /// Launched together with further programs of these numbers of ranks; the world is that of all of
    /// them.
    pub const fn beside(self, ranks: &'static [usize]) -> Self {
        Self { beside: ranks, ..self }
    }

    /// The ranks of each program, where the first has that number.
    pub(crate) fn programs(&self, first: usize) -> Vec<usize> {
        [&[first], self.beside].concat()
    }

    /// Passes if the harness reports a failure with all of these words.
    pub const fn fails(self, words: &'static [&'static str]) -> Self {
        Self { expect: Expect::Failure(words), ..self }
    }

    /// A job still running after these seconds is ended, and has failed.
    pub const fn limit(self, seconds: u64) -> Self {
        Self { limit: Duration::from_secs(seconds), ..self }
    }

    /// Runs only when asked for: with `--ignored` or `--include-ignored`.
    pub const fn ignored(self) -> Self {
        Self { ignored: true, ..self }
    }

    /// Means nothing where ranks share no memory, and is left out there.
    pub const fn on_one_node(self) -> Self {
        Self { on_one_node: true, ..self }
    }

    /// Launched, by mistake, by the launcher of another MPI.
    pub const fn foreign_launcher(self) -> Self {
        Self { launcher: Launcher::Foreign, ..self }
    }
}
