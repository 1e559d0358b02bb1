//! Ways to move the same array.

mod geometry;
mod ours;

pub use geometry::{Geometry, Grid, Interval};
pub use ours::{Bare, Ours, Shared, anew};

use crate::arrays::Scalar;
use mpi::topology::SimpleCommunicator;
use redist::{Plan, Redistribution};

/// A way to move an array, prepared for one rank.
pub trait Peer<T> {
    fn run(&mut self, source: &[T], destination: &mut [T]);

    /// Returns its own destination, if it needs one.
    fn own_destination(&mut self) -> Option<&mut [T]> {
        None
    }
}

/// All that a way is prepared from.
pub struct Context<'a, R, const D: usize> {
    pub world: &'static SimpleCommunicator,
    pub plan: &'a Plan<D>,
    pub planned: Option<&'a R>,
    pub geometry: Option<&'a Geometry>,
    /// This rank's number.
    pub rank: usize,
}

/// Prepares a way, or returns why it cannot move this array: the same on all ranks. Collective.
pub type Prepare<T, R, const D: usize> = fn(&Context<'_, R, D>) -> Result<Box<dyn Peer<T>>, String>;

/// A list of ways.
pub trait Ways {
    /// Ways that run only on request.
    const ON_DEMAND: &'static [&'static str] = &[];

    fn all<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>() -> Vec<Way<T, R, D>>;
}

pub type Way<T, R, const D: usize> = (&'static str, Prepare<T, R, D>);
