//! What the tests of `redist` share: the simulator that deals elements out one at a time, the
//! strategies that make up random layouts, plans with tables as the macro makes them, the reference's
//! vectors and their hash, messages seen from both ends, items beside plans of run time, the table of
//! faults, the matrix of features, an allocator that counts, arrays between pages that trap, items
//! with the code that is expected for them, and what a soak does over ranks of any sort.

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
pub mod sections;
pub mod soak;
pub mod strategies;
pub mod tabled;
pub mod tiers;
pub mod vectors;
pub mod written;
