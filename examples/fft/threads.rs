//! Ranks as threads.

use crate::task::{Outcome, Task};
use landscape::Fallible;
use redist::{Redistribution, threads};
use rustfft::num_complex::Complex32;
use std::error::Error;
use std::process::ExitCode;
use std::thread;

/// A number of threads.
pub struct Ranks(usize);

impl Ranks {
    /// As many as requested, or as cores, but 2 to 4.
    pub fn new() -> Fallible<Self> {
        let mut given = std::env::args().skip(1);
        match (given.next(), given.next()) {
            (None, _) => {
                Ok(Self(thread::available_parallelism().map_or(2, |cores| cores.get().clamp(2, 4))))
            }
            (Some(ranks), None) => match ranks.parse() {
                Ok(ranks) => Ok(Self(ranks)),
                Err(_) => Err(format!("a number of ranks is expected, found `{ranks}`").into()),
            },
            _ => Err("usage: fft [RANKS]".into()),
        }
    }

    pub fn count(&self) -> usize {
        self.0
    }

    pub fn play<T, G>(&self, task: &Task<'_, T, G>) -> Fallible<Vec<Outcome>>
    where
        T: Redistribution<2, Element = Complex32> + Sync,
        G: Redistribution<2, Element = Complex32> + Sync,
    {
        Ok(threads::run(self.0, |rank| task.play(rank))?)
    }

    pub fn fail(&self, error: &dyn Error) -> ExitCode {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    }
}
