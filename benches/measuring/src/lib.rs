//! How all benches and studies measure.
//!
//! Methods take turns in an order that is drawn anew in each round ([`Turns`]), because a method
//! finds in the caches what the one before has left. A row is measured in several processes
//! ([`Session`]), because the state of memory changes ratios from process to process. Every result
//! is written as it ends. Whoever measures goes when the one that launched it does ([`launch`]).
//!
//! | file | |
//! |---|---|
//! | `turns.rs` | methods in turn |
//! | `figures.rs` | medians, and their spread over processes |
//! | `row.rs` | the line of JSON that a process tells of a row |
//! | `session.rs` | rows in processes of their own |
//! | `bench.rs` | a bench that launches itself |
//! | `launch.rs` | processes that end with the one that launched them |
//! | `cluster.rs` | MPI's launcher, and emulated nodes |
//! | `machine.rs` | processor and date |
//! | `plant.rs` | a slowdown that is planted |
//! | `bin/redist-guard/` | two commits beside each other |

pub mod bench;
pub mod cluster;
mod figures;
pub mod launch;
pub mod machine;
mod plant;
mod row;
pub mod session;
mod turns;

pub use figures::{Spread, Times, median, quartiles};
pub use plant::{PLANT, perhaps_slower};
pub use row::{Array, Method, Row};
pub use session::{Measured, Session, Task};
pub use turns::{Shuffle, Turns};
