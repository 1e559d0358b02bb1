//! Thakur, Choudhary and Ramanujam, *Efficient Algorithms for Array Redistribution*.

mod scan;
mod two_phases;

pub use scan::Thakur;
pub use two_phases::{Hop, Intermediate, TwoPhases};
