//! Packing, unpacking and copying between pages that trap: a fault names the case, by its seed.

mod cases;
mod code;
mod elements;
mod kernels;
mod moves;
mod tables;
