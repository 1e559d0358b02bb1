//! A right program: groups of ranks, their plans, and every rank's calls. Printed, it can be read
//! and played by hand.
//!
//! All ranks of a group begin its moves in one order, and these orders are parts of one order of
//! all moves. So the program ends even if each call waits until its partners have begun the same
//! move. Of all ranks that wait, the rank in the earliest move waits for a rank that is past it, or
//! works.

use std::fmt;
use std::time::Duration;

/// A program; the same number is the same program, on any library and any nodes.
#[derive(Clone, Debug)]
pub struct Program {
    /// The seed that it was drawn by.
    pub number: u64,
    /// Ranks that play it.
    pub ranks: usize,
    pub groups: Vec<Group>,
    pub plans: Vec<Planned>,
    pub phases: Vec<Phase>,
}

/// Ranks with a communicator of their own.
#[derive(Clone, Debug)]
pub struct Group {
    pub made: Made,
    /// Ranks of the program, by their rank in the group.
    pub members: Vec<usize>,
}

/// How a group's communicator is made.
#[derive(Clone, Copy, Debug)]
pub enum Made {
    /// As a duplicate of the program's communicator, or of that of the group with this index.
    Duplicate(Option<usize>),
    /// By a split of the program's communicator, whose keys are the places in the group.
    Split,
}

/// A plan for an array of one dimension, bound on a group's communicator.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Index of the group.
    pub group: usize,
    /// Elements of the array, of 8 bytes each.
    pub extent: usize,
    pub from: Dealt,
    pub to: Dealt,
    pub binding: Binding,
    /// The source is in memory that a node shares, and so is the destination.
    pub shared: [bool; 2],
}

/// A layout of one side.
#[derive(Clone, Debug)]
pub struct Dealt {
    /// The distribution, as the notation has it.
    pub by: &'static str,
    /// Ranks of the group, by place in the grid.
    pub ranks: Vec<usize>,
}

/// An option of the binder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    Usual,
    ByMessages,
    InSteps,
    Collectively,
    /// In pieces of so many bytes.
    InPieces(usize),
}

/// A loop: all ranks begin the moves of its body in one order, so many times.
#[derive(Clone, Debug)]
pub struct Phase {
    /// Turns of the loop.
    pub times: usize,
    /// Time that each rank computes before the first turn, by rank.
    pub late: Vec<Duration>,
    /// Each rank's calls in a turn, by rank.
    pub calls: Vec<Vec<Call>>,
}

/// A step of the order that all ranks keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// A move by the plan with this index.
    Move(usize),
    /// A barrier of MPI, of the group with this index.
    Barrier(usize),
}

/// A rank's call in a turn; plans and groups by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Sleeps, as if it computed.
    Work(Duration),
    Run(usize),
    Start(usize),
    /// Asks once, if a move of the plan is under way.
    Test(usize),
    /// Finishes the move of the plan that is under way, if one is: in the first turn it may not
    /// have been started.
    Finish(usize),
    /// Finishes a started move, but asks until it would not wait.
    Poll(usize),
    Barrier(usize),
}

/// Returns the letter of a plan.
pub fn letter(plan: usize) -> char {
    char::from(b'a' + plan as u8)
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Work(time) => write!(f, "work {time:?}"),
            Self::Run(plan) => write!(f, "run {}", letter(plan)),
            Self::Start(plan) => write!(f, "start {}", letter(plan)),
            Self::Test(plan) => write!(f, "test {}", letter(plan)),
            Self::Finish(plan) => write!(f, "finish {}", letter(plan)),
            Self::Poll(plan) => write!(f, "test {0} until it is there, finish {0}", letter(plan)),
            Self::Barrier(group) => write!(f, "barrier of group {group}"),
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { made, members } = self;
        match made {
            Made::Duplicate(None) => write!(f, "duplicate of all: ranks {members:?}"),
            Made::Duplicate(Some(of)) => write!(f, "duplicate of group {of}: ranks {members:?}"),
            Made::Split => write!(f, "split: ranks {members:?}"),
        }
    }
}

impl fmt::Display for Dealt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { by, ranks } = self;
        write!(f, "{by} onto {} ranks {ranks:?}", ranks.len())
    }
}

impl fmt::Display for Planned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { group, extent, from, to, binding, shared } = self;
        write!(f, "[u64; {extent}] on group {group}, from {from}, to {to}")?;
        match binding {
            Binding::Usual => {}
            Binding::ByMessages => f.write_str(", by messages")?,
            Binding::InSteps => f.write_str(", by the caterpillar")?,
            Binding::Collectively => f.write_str(", collectively")?,
            Binding::InPieces(bytes) => write!(f, ", in pieces of {bytes} bytes")?,
        }
        f.write_str(match shared {
            [false, false] => "",
            [true, false] => ", from a shared array",
            [false, true] => ", to a shared array",
            [true, true] => ", between shared arrays",
        })
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {} times:", self.times)?;
        for (rank, calls) in self.calls.iter().enumerate() {
            let calls = calls.iter().map(Call::to_string).collect::<Vec<_>>().join(", ");
            let late = match self.late[rank] {
                Duration::ZERO => String::new(),
                time => format!(" (first works {time:?})"),
            };
            writeln!(f, "    rank {rank}{late}: {calls}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "program {} of {} ranks", self.number, self.ranks)?;
        for (number, group) in self.groups.iter().enumerate() {
            writeln!(f, "  group {number}, {group}")?;
        }
        for (number, plan) in self.plans.iter().enumerate() {
            writeln!(f, "  plan {}: {plan}", letter(number))?;
        }
        self.phases.iter().try_for_each(|phase| write!(f, "{phase}"))
    }
}
