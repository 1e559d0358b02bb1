//! A soak: random moves over random layouts, with injected faults, for any time.
//!
//! All ranks draw the same numbers from the same seed, so each knows every rank's next step.

mod act;
mod elements;
mod faults;
mod memory;
mod pool;
mod scene;
mod tally;
mod watchdog;

pub use act::act;
pub use faults::{Ending, Fault, Faults};
pub use memory::Memory;
pub use pool::Pool;
pub use tally::{Counted, Tally};
pub use watchdog::Watchdog;

use redist::transport::Route;

/// The setting of a soak: the ranks, and their possible faults.
#[derive(Debug)]
pub struct Setting<'a> {
    /// The cases to draw from.
    pub pool: &'a Pool,
    /// Number of ranks.
    pub ranks: usize,
    /// The possible routes.
    pub routes: &'a [Route],
    /// The possible faults.
    pub faults: &'a Faults,
    /// Counts of the soak.
    pub tally: &'a Tally,
}

/// A rank's error, for people.
pub type Wrong = String;
