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

#[derive(Debug)]
pub struct Setting<'a> {
    pub pool: &'a Pool,
    pub ranks: usize,
    /// Ranks are on several nodes.
    pub on_nodes: bool,
    pub routes: &'a [Route],
    pub faults: &'a Faults,
    pub tally: &'a Tally,
}

pub type Wrong = String;
