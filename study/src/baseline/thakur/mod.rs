//! Thakur, Choudhary and Ramanujam, *Efficient Algorithms for Array Redistribution*.
//!
//! | file | |
//! |---|---|
//! | `scan.rs` | cyclic(kx) → cyclic(x), cyclic(x) → cyclic(kx), and a scan for all others |
//! | `two_phases.rs` | their general method: two of the special cases, through an intermediate layout |

mod scan;
mod two_phases;

pub use scan::Thakur;
pub use two_phases::{Hop, Intermediate, TwoPhases};
