//! `libredist_scalapack.so`: ScaLAPACK's `p?gemr2d` and `p?trmr2d`, in all types and under all of
//! their names, served by redist in programs that were linked with ScaLAPACK.
//!
//! | file | task |
//! |---|---|
//! | `exports.rs` | the 40 routines |
//! | `call.rs` | what a routine was given |
//! | `blacs.rs` | the program's own BLACS, found when the first routine is called |
//! | `communicator.rs`, `attribute.rs` | MPI's calls, and what is kept on communicators |
//! | `grid.rs` | the processes of a grid as ranks of the context |
//! | `told.rs` | what one process knows of a call, by which it finds a plan again |
//! | `plans.rs` | the plans of a communicator, a bounded number of them |
//! | `exchange.rs` | what processes outside of a grid do not know |
//! | `check.rs` | whether the parameters are good |
//! | `moves.rs` | a plan, and the local arrays that it is run on |
//! | `serve.rs` | one call, from all of these |
//! | `fault.rs` | how a call ends that cannot be served |
//! | `statistics.rs` | how many calls there were |
#![cfg(feature = "mpi")]

mod attribute;
mod blacs;
mod call;
mod check;
mod communicator;
mod exchange;
mod exports;
mod fault;
mod grid;
mod moves;
mod plans;
mod serve;
mod statistics;
mod told;
