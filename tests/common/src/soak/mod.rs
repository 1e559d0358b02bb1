//! A soak: random moves over random layouts, with faults injected, for as long as is wanted.
//!
//! All ranks draw the same numbers from the same seed, so that each knows what every rank is about
//! to do, and what must come of it. Any sort of ranks may soak: what differs between them stands in
//! [`Setting`].
//!
//! | file | task |
//! |---|---|
//! | `pool.rs` | the cases that move, with what the simulator says of them |
//! | `elements.rs` | what moves |
//! | `faults.rs` | what goes wrong, and which of it may |
//! | `act.rs` | one plan, bound and moved again and again, as one rank does it |
//! | `scene.rs` | one move, or one fault |
//! | `tally.rs` | what was done |
//! | `memory.rs` | what the process holds, and whether that stays |
//! | `watchdog.rs` | an end to what hangs |

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

/// What ranks can do, and what is to happen to them.
#[derive(Debug)]
pub struct Setting<'a> {
    /// The cases that are drawn from.
    pub pool: &'a Pool,
    /// Number of ranks.
    pub ranks: usize,
    /// How elements may go.
    pub routes: &'a [Route],
    /// What may go wrong.
    pub faults: &'a Faults,
    /// What was done.
    pub tally: &'a Tally,
}

/// What a rank found wrong, for people.
pub type Wrong = String;
