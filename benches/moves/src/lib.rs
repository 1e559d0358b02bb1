//! Moves by `redist`, measured: between threads, and between MPI ranks with the feature `mpi`.
//!
//! Uses as little of `redist` as it can, because `benches/guard` builds it with other commits.
// Names say enough to the benches, the only users.
#![allow(missing_docs)]

mod items;
mod meeting;

pub use meeting::Meeting;

/// Moves before the first that is measured: a plan tries its ways in them.
pub const LEARNING_MOVES: usize = 12;

#[cfg(feature = "mpi")]
pub mod arrays;
#[cfg(feature = "mpi")]
mod contest;
#[cfg(feature = "mpi")]
mod nodes;
#[cfg(feature = "mpi")]
pub mod peer;
#[cfg(feature = "mpi")]
pub mod ranks;
#[cfg(feature = "mpi")]
mod rows;
#[cfg(feature = "mpi")]
pub mod wall;
#[cfg(feature = "mpi")]
mod worker;
