//! A test: its parts, and how its job should end.

use redist::mpi::{Communicator, Threading};
use std::error::Error;
use std::time::Duration;

/// Returned by a rank's part of a test.
pub type Outcome = Result<(), Box<dyn Error>>;

/// A rank's part of a test, on a communicator of all playing ranks.
pub type Body = fn(&Communicator) -> Outcome;

/// A test: a cell for each number of ranks.
#[derive(Clone, Copy)]
pub struct Case {
    /// Its name in filters and reports.
    pub name: &'static str,
    /// The numbers of ranks that it is run with.
    pub ranks: &'static [usize],
    pub(crate) beside: &'static [usize],
    pub(crate) body: Body,
    pub(crate) expect: Expect,
    pub(crate) limit: Duration,
    pub(crate) launcher: Launcher,
    pub(crate) ignored: bool,
    pub(crate) on_one_node: bool,
    pub(crate) alone: bool,
    pub(crate) threading: Threading,
    pub(crate) leaves_messages: bool,
    pub(crate) axes: Axes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axes {
    Module,
    Ranks,
    Name,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Expect {
    Pass,
    Failure(&'static [&'static str]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Launcher {
    Own,
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
            alone: false,
            threading: Threading::Funneled,
            leaves_messages: false,
            axes: Axes::Module,
        }
    }

    /// Plays beside further programs of these numbers of ranks, on a communicator of all of them.
    pub const fn beside(self, ranks: &'static [usize]) -> Self {
        Self { beside: ranks, ..self }
    }

    pub(crate) fn programs(&self, first: usize) -> Vec<usize> {
        [&[first], self.beside].concat()
    }

    /// Passes if the harness reports a failure with all of these words. Has its own launch.
    pub const fn fails(self, words: &'static [&'static str]) -> Self {
        Self { expect: Expect::Failure(words), ..self }
    }

    /// A cell that runs longer than these seconds has failed, and its job is ended.
    pub const fn limit(self, seconds: u64) -> Self {
        Self { limit: Duration::from_secs(seconds), ..self }
    }

    /// Runs only on demand: with `--ignored` or `--include-ignored`.
    pub const fn ignored(self) -> Self {
        Self { ignored: true, ..self }
    }

    /// Needs ranks that share memory, and is left out elsewhere.
    pub const fn on_one_node(self) -> Self {
        Self { on_one_node: true, ..self }
    }

    /// Has its own launch, because it needs the world, ends it, or changes a process for good.
    pub const fn alone(self) -> Self {
        Self { alone: true, ..self }
    }

    /// Has its own launch, where several threads call MPI, one at a time.
    pub const fn serialized(self) -> Self {
        Self { alone: true, threading: Threading::Serialized, ..self }
    }

    /// A selection plays it with every number of ranks.
    pub const fn with_each_number(self) -> Self {
        Self { axes: Axes::Ranks, ..self }
    }

    /// Leaves messages that no rank receives, or windows. Its communicator is not freed, because
    /// Open MPI 4.1 would give its number and messages to the next one.
    pub const fn leaves_messages(self) -> Self {
        Self { leaves_messages: true, ..self }
    }

    /// A cell of a table whose axes are the parts of the name behind the first.
    pub const fn of_a_table(self) -> Self {
        Self { axes: Axes::Name, ..self }
    }

    /// Has its own launch, by mistake by the launcher of another MPI.
    pub const fn foreign_launcher(self) -> Self {
        Self { launcher: Launcher::Foreign, ..self }
    }
}
