//! What the test files share: the simulator that deals elements out one at a time, the hash of the vectors, and the
//! strategies that make up random layouts.

#![allow(dead_code, reason = "each test file uses a part of its own")]

pub mod array;
pub mod dealing;
pub mod fnv;
pub mod movement;
pub mod strategies;
