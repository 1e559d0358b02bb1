//! Arrays and messages between pages that trap: packing, unpacking and copying touch nothing else,
//! by any instructions, for elements of any width. A fault ends the program, and names the case. A
//! seed repeats the cases.

mod cases;
mod elements;
mod kernels;
mod moves;
