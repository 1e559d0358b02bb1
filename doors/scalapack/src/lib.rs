//! `libredist_scalapack.so`: ScaLAPACK's `p?gemr2d` and `p?trmr2d`, in all types and under all of
//! their names, served by redist in programs that were linked with ScaLAPACK.
//!
//! | file | task |
//! |---|---|
//! | `exports.rs` | the 40 routines |
//! | `call.rs` | what a routine was given |
//! | `blacs.rs` | the program's own BLACS, found when the first routine is called |
//! | `reduced.rs` | numbers of all processes |
//! | `grid.rs` | the processes of a grid as ranks of the context |
//! | `told.rs` | what one process knows of a call, by which it finds a plan again |
//! | `plans.rs` | the plans of a communicator, a bounded number of them |
//! | `kept.rs` | those of each communicator, until it is freed |
//! | `exchange.rs` | what processes outside of a grid do not know |
//! | `check.rs` | whether the parameters are good |
//! | `moves.rs` | a plan, and the local arrays that it is run on |
//! | `serve.rs` | one call, from all of these |
//! | `fault.rs` | how a call ends that cannot be served |
//! | `own_routines.rs` | programs whose calls do not come here |
//! | `statistics.rs` | how many calls there were |

mod blacs;
mod call;
mod check;
mod exchange;
mod exports;
mod fault;
mod grid;
mod kept;
mod moves;
mod own_routines;
mod plans;
mod reduced;
mod serve;
mod statistics;
mod told;
