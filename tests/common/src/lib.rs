//! What the tests of `redist` share: the simulator that deals elements out one at a time, the
//! strategies that make up random layouts, the reference's vectors and their hash, messages seen
//! from both ends, the table of faults, and an allocator that counts.

pub mod allocations;
pub mod array;
pub mod dealing;
pub mod faults;
pub mod fnv;
pub mod message;
pub mod movement;
pub mod strategies;
pub mod vectors;
