//! Arrays and messages between pages that trap: what packs, unpacks and copies touches nothing
//! else, by any instructions, for elements of any width.
//!
//! A fault ends the program, and names the case. Cases are drawn from a seed, so that they can
//! be had again.

mod cases;
mod elements;
mod kernels;
mod moves;
