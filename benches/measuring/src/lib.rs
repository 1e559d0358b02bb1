//! How all benches and studies measure.
//!
//! Methods take turns in an order that is drawn in each round ([`Turns`]), because one leaves data
//! in the caches for the next. A row is measured in several processes ([`Session`]), because the
//! state of memory changes ratios from process to process.
// Names say enough to the benches, the only users.
#![allow(missing_docs)]

pub mod bench;
pub mod busy;
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
