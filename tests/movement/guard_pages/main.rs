//! Arrays and messages between pages that trap: packing, unpacking and copying touch nothing else.
//! A fault ends the program, and names the case, which a seed repeats.

mod cases;
mod elements;
mod kernels;
mod moves;
