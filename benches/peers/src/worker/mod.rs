//! A rank: every method moves every array, in turn.

pub mod arrays;
mod measure;

pub use arrays::Scalar;

use crate::options::Options;
use crate::{papers, rows, transforms};
use measure::Bench;
use mpi::traits::*;
use std::error::Error;

/// Measures the table's cases for this number of ranks, and the user's own.
///
/// # Errors
/// A case of the user's that is not understood; the same on all ranks.
pub fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    redist::mpi::abort_on_panic();
    let universe = mpi::initialize().ok_or("MPI is initialised already")?;
    // Some methods keep it; it is gone with the process.
    let world = Box::leak(Box::new(universe.world()));
    let ranks = usize::try_from(Communicator::size(world))?;
    if let Some(study) = options.study {
        return papers::work(study, world, options);
    }
    if options.transforms {
        transforms::work(world, options);
        return Ok(());
    }
    let mut bench = Bench::new(world, options.clone());
    if options.nodes.is_none() {
        rows::visit(ranks, &options.only, &mut bench);
    }
    for case in &options.case {
        bench.users_case(case)?;
    }
    Ok(())
}
