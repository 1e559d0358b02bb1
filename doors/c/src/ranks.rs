//! Ranks for C that are no MPI communicator: threads, or those of two programs. Unsafe, because a rank that is a
//! thread is lent to a function of C's.

use crate::bound::check_thread;
use crate::status::{Refusal, Status};
use redist::mpi::Coupling;
use redist::threads::Rank;
use redist_doors::DoorRanks;
use std::thread::{self, ThreadId};

/// The ranks that plans are bound to, where they are no MPI communicator: threads, which
/// `redist_threads_run` starts, or the ranks of two programs, which `redist_programs_couple` joins. Only the
/// thread that got them uses them.
pub struct Ranks {
    thread: ThreadId,
    kind: Kind,
}

/// The ranks, by their kind.
enum Kind {
    Coupled(Coupling),
    /// A rank that its thread lends.
    Thread(*const Rank),
}

impl Ranks {
    pub fn coupled(coupling: Coupling) -> Self {
        Self { thread: thread::current().id(), kind: Kind::Coupled(coupling) }
    }

    /// Lends a rank.
    ///
    /// # Safety
    /// The rank outlives the value.
    pub unsafe fn of_thread(rank: &Rank) -> Self {
        Self { thread: thread::current().id(), kind: Kind::Thread(rank) }
    }

    /// Passes the ranks on, on their own thread.
    pub fn with<R>(&self, work: impl FnOnce(DoorRanks<'_>) -> R) -> Result<R, Refusal> {
        check_thread(self.thread)?;
        Ok(match &self.kind {
            Kind::Coupled(coupling) => work(DoorRanks::Coupled(coupling)),
            // SAFETY: the rank outlives this value, as the caller of `of_thread` has promised, and this is
            // its thread.
            Kind::Thread(rank) => work(DoorRanks::Threads(unsafe { &**rank })),
        })
    }

    /// Returns this rank's number, and the number of ranks.
    pub fn numbers(&self) -> Result<[usize; 2], Refusal> {
        self.with(|ranks| match ranks {
            DoorRanks::Mpi(communicator) => [communicator.rank(), communicator.size()],
            DoorRanks::Coupled(coupling) => {
                [coupling.rank(), coupling.producers() + coupling.consumers()]
            }
            DoorRanks::Threads(rank) => [rank.rank(), rank.size()],
        })
    }

    /// Returns the two programs.
    pub fn coupling(&self) -> Result<&Coupling, Refusal> {
        check_thread(self.thread)?;
        match &self.kind {
            Kind::Coupled(coupling) => Ok(coupling),
            Kind::Thread(_) => {
                let words =
                    "`ranks` are threads of one program; `redist_programs_couple` joins two";
                Err(Refusal::argument(words))
            }
        }
    }

    /// Checks that the caller may free them here.
    pub fn check_freed(&self) -> Result<(), Refusal> {
        check_thread(self.thread)?;
        let words = "ranks that are threads end with their function; nothing frees them";
        match self.kind {
            Kind::Coupled(_) => Ok(()),
            Kind::Thread(_) => Err(Refusal::new(Status::RedistState, words)),
        }
    }
}
