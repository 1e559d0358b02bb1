//! The ranks that plans are bound to: of mpi4py's communicators, of threads, of two programs.

use crate::coupling::PythonCoupling;
use crate::mpi4py;
use crate::ranks::PythonRank;
use pyo3::prelude::*;
use redist::Error;
use redist::mpi::{Coupling, RawCommunicator};
use redist_doors::{Bindable, DoorRanks};
use std::rc::Rc;

/// The ranks that a plan is bound to.
pub enum Ranks {
    Mpi(RawCommunicator),
    /// Those of two programs.
    Coupled(Rc<Coupling>),
    Threads(PythonRank),
}

impl Ranks {
    /// Returns `true` if ranks are threads of this process.
    pub fn are_threads(&self) -> bool {
        matches!(self, Self::Threads(_))
    }

    /// Returns this rank's number.
    pub fn rank(&self) -> usize {
        match self {
            Self::Mpi(communicator) => communicator.rank(),
            Self::Coupled(coupling) => coupling.rank(),
            Self::Threads(rank) => rank.number(),
        }
    }

    /// Binds a plan, a batch or a move by lists. Collective: it waits for other ranks, which may need the
    /// interpreter's lock.
    pub fn bind<P: Bindable>(&self, plan: P) -> Result<P::Bound, Error> {
        self.with(|ranks| ranks.bind(plan))?
    }

    /// Makes the other ranks' `bind` fail. Collective, as `bind`.
    pub fn decline(&self, reason: Error) -> Error {
        self.with(|ranks| ranks.decline(reason)).unwrap_or_else(|absent| absent)
    }

    fn with<R>(&self, work: impl FnOnce(DoorRanks<'_>) -> R) -> Result<R, Error> {
        match self {
            Self::Mpi(communicator) => Ok(work(DoorRanks::Mpi(communicator))),
            Self::Coupled(coupling) => Ok(work(DoorRanks::Coupled(coupling))),
            Self::Threads(rank) => rank.with(|rank| work(DoorRanks::Threads(rank))),
        }
    }
}

/// Returns the ranks of an object. The caller keeps the object while plans are bound.
pub fn ranks(communicator: &Bound<'_, PyAny>) -> PyResult<Ranks> {
    if let Some(rank) = PythonRank::of(communicator)? {
        return Ok(Ranks::Threads(rank));
    }
    match PythonCoupling::known(communicator)? {
        Some(coupling) => Ok(Ranks::Coupled(coupling)),
        None => mpi4py::communicator(communicator).map(Ranks::Mpi),
    }
}
