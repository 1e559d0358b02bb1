//! The ways to move an array, one file each.

mod geometry;
mod ours;

pub use geometry::{Geometry, Grid, Interval};
pub use ours::{Bare, Ours, Shared, anew};

use crate::arrays::Scalar;
use mpi::topology::SimpleCommunicator;
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

/// The arguments from which a way prepares.
pub struct Context<'a, R, const D: usize> {
    /// All ranks.
    pub world: &'static SimpleCommunicator,
    /// The layouts.
    pub plan: &'a Plan<D>,
    /// The plan by the macro, for cases of the table.
    pub planned: Option<&'a R>,
    /// The layouts in ScaLAPACK's terms, where they have any.
    pub geometry: Option<&'a Geometry>,
    /// This rank.
    pub rank: usize,
}

/// Gets a way ready, or says why it cannot move this array: the same on all ranks. Collective.
pub type Prepare<T, R, const D: usize> = fn(&Context<'_, R, D>) -> Result<Box<dyn Peer<T>>, String>;

/// The ways of a bench, by name.
pub trait Ways {
    /// Those that have to be asked for, because they say more of redist than of its peers.
    const ON_DEMAND: &'static [&'static str] = &[];

    /// All of them, in the order of the columns.
    fn all<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>() -> Vec<Way<T, R, D>>;
}

/// A way with its name.
pub type Way<T, R, const D: usize> = (&'static str, Prepare<T, R, D>);
