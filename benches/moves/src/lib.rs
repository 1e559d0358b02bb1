//! Moves by `redist`, measured: between threads, and between MPI ranks with the feature `mpi`.
//!
//! Uses no more of `redist` than it needs, so that what is here can be built with the library of
//! another commit: see `benches/guard`.
//!
//! | file | |
//! |---|---|
//! | `meeting.rs` | times that mean the same to all threads |
//! | `wall.rs` | times that mean the same to all MPI ranks |
//! | `rows.rs` | the table of moves between MPI ranks |
//! | `nodes.rs` | the cases between nodes |
//! | `arrays.rs` | local arrays, filled and checked |
//! | `peer/` | ways to move an array between MPI ranks |
//! | `contest.rs` | all ways in turn |
//! | `ranks.rs` | the bench that launches ranks |

mod meeting;

pub use meeting::Meeting;

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
mod worker;
