//! Ranks as processes of MPI.

use crate::task::{Outcome, Task};
use landscape::Fallible;
use redist::Redistribution;
use redist::mpi::{CommunicatorRef, Environment, abort_on_panic, initialize};
use rustfft::num_complex::Complex32;
use std::error::Error;
use std::process::ExitCode;

/// The ranks of a launch.
pub struct Ranks {
    world: CommunicatorRef<'static>,
    // MPI ends when it is dropped.
    _environment: Environment,
}

impl Ranks {
    pub fn new() -> Fallible<Self> {
        abort_on_panic();
        let environment = initialize()?;
        Ok(Self { world: environment.world()?, _environment: environment })
    }

    pub fn count(&self) -> usize {
        self.world.size()
    }

    pub fn play<T, G>(&self, task: &Task<'_, T, G>) -> Fallible<Vec<Outcome>>
    where
        T: Redistribution<2, Element = Complex32>,
        G: Redistribution<2, Element = Complex32>,
    {
        Ok(vec![task.play(&self.world)?])
    }

    /// Ends all ranks, because other ranks may have found no error.
    pub fn fail(&self, error: &dyn Error) -> ExitCode {
        eprintln!("error: {error}");
        self.world.abort(1)
    }
}
