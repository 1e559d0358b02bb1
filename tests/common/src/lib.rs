//! Common parts of tests: the simulator, random layouts, vectors, tables, allocators, and soaks.
// Names say enough to the tests, the only users.
#![allow(missing_docs)]

pub mod allocations;
pub mod array;
pub mod dealing;
pub mod drawn;
pub mod faults;
pub mod fnv;
pub mod guarded;
pub mod matrix;
pub mod message;
pub mod movement;
pub mod numbered;
pub mod sections;
pub mod soak;
pub mod strategies;
pub mod tabled;
pub mod tiers;
pub mod vectors;
pub mod written;
