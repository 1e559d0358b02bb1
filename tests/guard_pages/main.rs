//! Arrays and messages between pages that trap: what packs, unpacks and copies touches nothing
//! else, by any instructions, for elements of any width.
//!
//! A fault ends the program, and names the case. Cases are those of a fixed seed, so that they can
//! be had again; `REDIST_GUARD_SEED` is another.

mod cases;
mod elements;
mod kernels;
mod moves;
