//! The ways to move an array, one file each.

mod derived;
mod geometry;
mod naive;
mod ours;
mod scalapack;
mod segments;

pub use geometry::Geometry;

use crate::worker::Scalar;
use mpi::topology::SimpleCommunicator;
use redist::plan::schedule::Method;
use redist::{Plan, Redistribution};

/// A way that is ready to move one array as often as wanted.
pub trait Peer<T> {
    /// Moves it. Collective.
    fn run(&mut self, source: &[T], destination: &mut [T]);

    /// The array that it moves to, where that is not the one it is given.
    fn own_destination(&mut self) -> Option<&mut [T]> {
        None
    }
}

/// What a way may look at to get ready.
pub struct Context<'a, R, const D: usize> {
    /// All ranks.
    pub world: &'static SimpleCommunicator,
    /// The layouts.
    pub plan: &'a Plan<D>,
    /// What the macro made of them, for cases of the table.
    pub planned: Option<&'a R>,
    /// The layouts in ScaLAPACK's terms, where they have any.
    pub geometry: Option<&'a Geometry>,
    /// This rank.
    pub rank: usize,
}

/// Gets a way ready, or says why it cannot move this array: the same on all ranks. Collective.
pub type Prepare<T, R, const D: usize> = fn(&Context<'_, R, D>) -> Result<Box<dyn Peer<T>>, String>;

/// All ways, by name. Some have to be asked for: those that say more of redist than of its peers.
pub fn all<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>()
-> Vec<(&'static str, Prepare<T, R, D>)> {
    vec![
        ("redist, static", ours::planned_by_the_macro),
        ("redist, run time", ours::planned_at_run_time),
        ("redist, shared memory", ours::between_shared_arrays),
        ("redist, shared source", ours::from_shared_memory),
        ("redist, measured network", ours::over_a_measured_network),
        ("redist, all at once", ours::by_messages),
        ("redist, pieces of 1 MiB", ours::in_long_pieces),
        ("redist, joined", ours::by_joined_messages),
        ("redist, derived types", ours::by_derived_types),
        ("redist, circulant", |context| ours::by_steps(context, Method::Circulant)),
        ("redist, closed form", |context| ours::by_steps(context, Method::ClosedForm)),
        ("redist, König", |context| ours::by_steps(context, Method::Koenig)),
        ("redist, caterpillar", |context| ours::by_steps(context, Method::Caterpillar)),
        ("ScaLAPACK p?gemr2d", scalapack::prepare),
        ("Alltoallw, derived types", derived::prepare),
        ("Alltoallv, segment table", segments::prepare),
        ("element loop", naive::prepare),
    ]
}
