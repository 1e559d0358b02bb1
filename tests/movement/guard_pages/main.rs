//! Packing, unpacking and copying between pages that trap. A fault ends the program, and names the
//! case, which a seed repeats.

mod cases;
mod elements;
mod kernels;
mod moves;
