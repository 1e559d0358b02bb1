//! The ways in which messages can go, and how one is taken.

use super::MpiChannel;
use super::context::Context;
use crate::error::Error;
use crate::plan::schedule::CostModel;
use crate::transport::{Costed, Proposal, Transport};
use std::fmt;

/// How [`run`](crate::exec::Bound::run) moves what goes from rank to rank. `start` and `finish` move messages, whatever the
/// route, and so does `run` where another rank only starts the move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Route {
    /// What is expected to be fastest: the same on all ranks.
    #[default]
    Automatic,
    /// Where all ranks are on one node: every rank shows its source array to the others in chunks that stay in a cache, in a
    /// window of shared memory, and each copies its part from there. Schedules play no part. Elsewhere messages go.
    Staged,
    /// Every message is packed, sent as it is, and unpacked as it arrives, in the steps of the schedule.
    Messages,
    /// One `MPI_Alltoallw` with a datatype for each message, made from one period of the plan: no memory for messages, and
    /// the library packs. Schedules play no part.
    DerivedTypes,
    /// Messages are cut into fragments of [so many bytes](super::set_fragment_size), of which two of each message are under
    /// way at a time: one travels while the next is packed, and each is unpacked as it arrives. Steps are kept.
    Fragments,
}

impl Route {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Automatic, Self::Staged, Self::Messages, Self::DerivedTypes, Self::Fragments];
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Route::Automatic => "automatic",
            Route::Staged => "staged",
            Route::Messages => "whole messages",
            Route::DerivedTypes => "derived datatypes",
            Route::Fragments => "fragments",
        })
    }
}

/// A communicator over which messages can go by a route of the caller's choice.
pub trait Routable: Transport {
    /// The same ranks, with messages by this route: all ranks must bring the same.
    ///
    /// ```no_run
    /// # use redist_runtime as redist;
    /// use redist::exec::{Redistribution, RuntimePlan};
    /// use redist::transport::mpi::{Routable, Route, rsmpi};
    ///
    /// let universe = rsmpi::initialize().expect("nobody has initialized MPI before");
    /// let world = universe.world();
    /// let plan = RuntimePlan::<f64, 1>::parse([1200], "cyclic(10) onto 3", "cyclic(2) onto 2")?;
    /// let bound = plan.bind(&world.via(Route::DerivedTypes))?;
    /// assert_eq!(bound.route(), Route::DerivedTypes);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn via(&self, route: Route) -> Routed<'_, Self>
    where
        Self: Sized,
    {
        Routed { transport: self, route }
    }

    /// As [`open`](Transport::open), for messages by this route.
    ///
    /// # Errors
    /// As [`open`](Transport::open); also that another rank brought another route.
    fn open_via(&self, route: Route, proposal: Result<Proposal<'_>, Error>) -> Result<MpiChannel, Error>;
}

/// The same ranks, with messages by a given route: made by [`Routable::via`].
#[derive(Debug)]
pub struct Routed<'a, C> {
    transport: &'a C,
    route: Route,
}

impl<C: Routable> Transport for Routed<'_, C> {
    type Channel = MpiChannel;

    fn rank(&self) -> usize {
        self.transport.rank()
    }

    fn size(&self) -> usize {
        self.transport.size()
    }

    fn cost_model(&self) -> CostModel {
        self.transport.cost_model()
    }

    fn open(&self, proposal: Result<Proposal<'_>, Error>) -> Result<MpiChannel, Error> {
        self.transport.open_via(self.route, proposal)
    }
}

impl<C: Routable> Routable for Costed<'_, C>
where
    Self: Transport,
{
    fn open_via(&self, route: Route, proposal: Result<Proposal<'_>, Error>) -> Result<MpiChannel, Error> {
        self.transport().open_via(route, proposal)
    }
}

impl MpiChannel {
    /// The way that messages go, and why.
    pub(crate) fn route(&self) -> (Route, &'static str) {
        (self.taken.route, self.taken.reason)
    }
}

/// What was decided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub route: Route,
    pub reason: &'static str,
}

impl Taken {
    /// For elements of so many bytes: the same on all ranks, which have found that they ask for the same. Collective.
    pub fn new(context: &Context, asked: Route, has_steps: bool, element: usize) -> Result<Self, Error> {
        let messages = |reason| Self { route: Route::Messages, reason };
        let taken = match asked {
            Route::Automatic if has_steps => messages("the schedule has steps, in which messages go"),
            Route::Automatic | Route::Staged => match context.staging()? {
                Some(staging) if staging.elements(element) > 0 => {
                    let reason = match asked {
                        Route::Automatic => "all ranks share memory, in which chunks stay in a cache",
                        _ => "asked for by the caller",
                    };
                    Self { route: Route::Staged, reason }
                }
                Some(_) => messages("an element is longer than a chunk of shared memory"),
                None => messages("the ranks have no memory that they all share"),
            },
            route => Self { route, reason: "asked for by the caller" },
        };
        Ok(taken)
    }
}
