//! Ranks that are MPI processes, of which this program is one.

use crate::task::{Outcome, Task};
use landscape::Fallible;
use redist::Redistribution;
use redist::mpi::abort_on_panic;
use redist::mpi::rsmpi::topology::{Communicator, SimpleCommunicator};
use redist::mpi::rsmpi::{self, Threading, environment::Universe};
use rustfft::num_complex::Complex32;
use std::error::Error;
use std::process::ExitCode;

/// All of the launch.
pub struct Ranks {
    // Dropped first: MPI ends with the universe.
    world: SimpleCommunicator,
    _universe: Universe,
}

impl Ranks {
    pub fn new() -> Fallible<Self> {
        abort_on_panic();
        let (universe, _) = rsmpi::initialize_with_threading(Threading::Funneled)
            .ok_or("MPI has been initialised before")?;
        Ok(Self { world: universe.world(), _universe: universe })
    }

    pub fn count(&self) -> usize {
        self.world.size().unsigned_abs() as usize
    }

    /// What this rank hands back.
    pub fn play<T, G>(&self, task: &Task<'_, T, G>) -> Fallible<Vec<Outcome>>
    where
        T: Redistribution<2, Element = Complex32>,
        G: Redistribution<2, Element = Complex32>,
    {
        Ok(vec![task.play(&self.world)?])
    }

    /// Ends all ranks, as the others may have found nothing wrong.
    pub fn fail(&self, error: &dyn Error) -> ExitCode {
        eprintln!("error: {error}");
        self.world.abort(1)
    }
}
