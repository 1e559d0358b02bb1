//! Ranks of any kind that plans are bound to: of an MPI communicator, of two programs, or threads.

use crate::plan::DoorPlan;
use redist::exec::{AnyBatch, AnyBinder, AnyBound, AnyBoundBatch, AnyCopies, AnyIndexMove};
use redist::mpi::{Coupling, RawCommunicator};
use redist::threads::Rank;
use redist::{AnyElement, Error, Transport};

/// A plan that ranks of any kind can bind.
pub trait Bindable {
    type Bound;

    /// Binds it. Collective.
    fn bind_to<C: Transport>(self, ranks: &C) -> Result<Self::Bound, Error>;
}

impl Bindable for &AnyBinder {
    type Bound = AnyBound;

    fn bind_to<C: Transport>(self, ranks: &C) -> Result<AnyBound, Error> {
        self.bind(ranks)
    }
}

impl Bindable for AnyCopies {
    type Bound = AnyBound;

    fn bind_to<C: Transport>(self, ranks: &C) -> Result<AnyBound, Error> {
        self.bind(ranks)
    }
}

impl Bindable for &AnyIndexMove {
    type Bound = AnyBound;

    fn bind_to<C: Transport>(self, ranks: &C) -> Result<AnyBound, Error> {
        self.bind(ranks)
    }
}

impl Bindable for AnyBatch {
    type Bound = AnyBoundBatch;

    fn bind_to<C: Transport>(self, ranks: &C) -> Result<AnyBoundBatch, Error> {
        self.bind(ranks)
    }
}

/// The ranks that a plan is bound to.
#[derive(Clone, Copy)]
pub enum DoorRanks<'a> {
    Mpi(&'a RawCommunicator),
    /// Those of two programs.
    Coupled(&'a Coupling),
    Threads(&'a Rank),
}

impl DoorRanks<'_> {
    /// Returns this rank's number.
    pub fn rank(self) -> usize {
        match self {
            Self::Mpi(communicator) => communicator.rank(),
            Self::Coupled(coupling) => coupling.rank(),
            Self::Threads(rank) => rank.rank(),
        }
    }

    /// Returns `true` if moves call the MPI library.
    pub fn call_mpi(self) -> bool {
        !matches!(self, Self::Threads(_))
    }

    /// Binds a plan. Collective.
    pub fn bind<P: Bindable>(self, plan: P) -> Result<P::Bound, Error> {
        match self {
            Self::Mpi(communicator) => plan.bind_to(communicator),
            Self::Coupled(coupling) => plan.bind_to(coupling),
            Self::Threads(rank) => plan.bind_to(rank),
        }
    }

    /// Makes the other ranks' `bind` fail. Collective, as `bind`.
    pub fn decline(self, reason: Error) -> Error {
        match self {
            Self::Mpi(communicator) => AnyBinder::decline(communicator, reason),
            Self::Coupled(coupling) => AnyBinder::decline(coupling, reason),
            Self::Threads(rank) => AnyBinder::decline(rank, reason),
        }
    }

    /// Waits until all ranks have called it, or one has ended. Collective.
    pub fn barrier(self) -> Result<(), Error> {
        let plan = DoorPlan::parse(&[1], "*", "*").expect("an array of one element has a plan");
        let byte = AnyElement::of_bytes(1).expect("a byte has bytes");
        // Ranks meet where they bind a plan.
        self.bind(&plan.binder(byte)).map(drop)
    }
}
