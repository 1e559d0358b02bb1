//! The ranks that plans are bound to: of mpi4py's communicators, of threads, of two programs.

use crate::coupling::PythonCoupling;
use crate::mpi4py;
use crate::ranks::PythonRank;
use pyo3::prelude::*;
use redist::exec::{AnyBatch, AnyBinder, AnyBound, AnyBoundBatch, AnyIndexMove};
use redist::mpi::{Coupling, RawCommunicator};
use std::rc::Rc;

/// The ranks that a plan is bound to.
pub enum Ranks {
    Mpi(RawCommunicator),
    /// Those of two programs.
    Coupled(Rc<Coupling>),
    Threads(PythonRank),
}

impl Ranks {
    /// Returns this rank's number.
    pub fn rank(&self) -> usize {
        match self {
            Self::Mpi(communicator) => communicator.rank(),
            Self::Coupled(coupling) => coupling.rank(),
            Self::Threads(rank) => rank.number(),
        }
    }

    /// Binds a plan. Collective: it waits for other ranks, which may need the interpreter's lock.
    pub fn bind(&self, binder: &AnyBinder) -> Result<AnyBound, redist::Error> {
        match self {
            Self::Mpi(communicator) => binder.bind(communicator),
            Self::Coupled(coupling) => binder.bind(&**coupling),
            Self::Threads(rank) => rank.bind(binder),
        }
    }

    /// Binds a batch. Collective, as `bind`.
    pub fn bind_batch(&self, batch: AnyBatch) -> Result<AnyBoundBatch, redist::Error> {
        match self {
            Self::Mpi(communicator) => batch.bind(communicator),
            Self::Coupled(coupling) => batch.bind(&**coupling),
            Self::Threads(rank) => rank.bind_batch(batch),
        }
    }

    /// Plans a move by lists. Collective, as `bind`.
    pub fn bind_lists(&self, moves: &AnyIndexMove) -> Result<AnyBound, redist::Error> {
        match self {
            Self::Mpi(communicator) => moves.bind(communicator),
            Self::Coupled(coupling) => moves.bind(&**coupling),
            Self::Threads(rank) => rank.bind_lists(moves),
        }
    }

    /// Makes the other ranks' `bind` fail. Collective, as `bind`.
    pub fn decline(&self, reason: redist::Error) -> redist::Error {
        match self {
            Self::Mpi(communicator) => AnyBinder::decline(communicator, reason),
            Self::Coupled(coupling) => AnyBinder::decline(&**coupling, reason),
            Self::Threads(rank) => rank.decline(reason),
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
