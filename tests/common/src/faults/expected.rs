//! The expected result of every cell of the fault matrix.

use super::{Call, Cell, Fault, Ranks, Way, When};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Calls end, and ranks learn of the fault.
    Told {
        /// `ok`, `panic`, `gone` or the variant of an error.
        faulty: &'static str,
        others: &'static str,
        after: After,
    },
    /// The job ends on all ranks, with the text of the fault.
    JobEnds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    Works,
    /// The same error on every remaining rank.
    Fails(&'static str),
}

const WORKS: After = After::Works;

const fn told(faulty: &'static str, others: &'static str, after: After) -> Expected {
    Expected::Told { faulty, others, after }
}

impl Cell {
    pub fn expected(&self) -> Option<Expected> {
        let is_mpi = self.ranks != Ranks::Threads;
        let is_move = self.call != Call::Bind;
        match self.fault {
            Fault::PanicsAndGoesOn(when) => self.after_a_panic(when),
            Fault::Panics(When::Before) => Some(self.ended("RankEnded")),
            Fault::Panics(When::Amid) => {
                self.after_a_panic(When::Amid).map(|expected| match expected {
                    Expected::Told { others, .. } if !is_mpi => {
                        told("gone", others, After::Fails("RankEnded"))
                    }
                    _ => Expected::JobEnds,
                })
            }
            Fault::Panics(When::After) => Some(self.ended("ok")),
            Fault::ReturnsEarly => Some(told("gone", "RankEnded", After::Fails("RankEnded"))),
            Fault::DropsStarted => (self.call == Call::Start).then_some(told("ok", "ok", WORKS)),
            Fault::OtherPlan => self.of_bind("DifferentPlan"),
            Fault::OtherElement => self.of_bind("DifferentElement"),
            Fault::OtherOptions => self.of_bind("DifferentOptions"),
            Fault::OtherMethod => self.of_bind("DifferentSchedule"),
            Fault::ShortSource | Fault::ShortDestination => {
                let is_shared = matches!(self.way, Way::Shared)
                    || (self.way == Way::SharedSource && self.fault == Fault::ShortSource);
                (is_move && !is_shared).then_some(told("LocalLength", "PeerFailed", WORKS))
            }
            Fault::OtherOrder | Fault::OtherCall => {
                let different = "DifferentMoves";
                is_move.then_some(told(different, different, WORKS))
            }
            Fault::Killed(when) => {
                (is_mpi && (is_move || when != When::Amid)).then_some(Expected::JobEnds)
            }
            Fault::LibraryFails(call) => self.without_the_library(call).filter(|_| is_mpi),
        }
    }

    fn ended(&self, others: &'static str) -> Expected {
        match self.ranks {
            Ranks::Threads => told("gone", others, After::Fails("RankEnded")),
            Ranks::Mpi | Ranks::Nodes => Expected::JobEnds,
        }
    }

    fn of_bind(&self, error: &'static str) -> Option<Expected> {
        // With shared arrays, the call of the cell makes these.
        let binds = self.call == Call::Bind && !matches!(self.way, Way::Shared | Way::SharedSource);
        binds.then_some(told(error, error, WORKS))
    }

    fn after_a_panic(&self, when: When) -> Option<Expected> {
        let different = "DifferentMoves";
        match when {
            // The call is left out, so the next call is a different one. In the last call of all
            // other ranks, they find that the rank has ended.
            When::Before => Some(told("panic", different, After::Fails("RankEnded"))),
            When::After => Some(told("panic", "ok", WORKS)),
            // No code of a user's or of ours runs in the middle of these.
            When::Amid if self.call == Call::Bind => None,
            // Its source stays shared until all receivers have read it.
            When::Amid
                if self.ranks == Ranks::Mpi
                    && (self.way, self.call) == (Way::SharedSource, Call::Run) =>
            {
                Some(told("panic", "ok", WORKS))
            }
            When::Amid => Some(told("panic", "PeerFailed", WORKS)),
        }
    }

    /// Returns the result of a failing call of the library, or of the system.
    fn without_the_library(&self, call: &'static str) -> Option<Expected> {
        let packs = self.call == Call::Start
            || (self.call == Call::Run && matches!(self.way, Way::Messages | Way::Steps));
        let is_shared = matches!(self.way, Way::Shared | Way::SharedSource);
        match (call, self.call) {
            // The move's messages are under way, or ranks wait for it.
            ("MPI_Isend" | "MPI_Irecv" | "MPI_Testsome", _) => packs.then_some(Expected::JobEnds),
            ("MPI_Allreduce", Call::Bind) => Some(Expected::JobEnds),
            // Another way does without shared memory.
            ("shm_open", Call::Bind) if self.way == Way::Chunks => Some(told("ok", "ok", WORKS)),
            ("shm_open", Call::Bind) if is_shared => Some(told("Unavailable", "PeerFailed", WORKS)),
            _ => None,
        }
    }
}
