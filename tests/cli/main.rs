//! The command line `redist`, run as users run it.

mod draw;
mod explain;
mod input;
mod json;
mod mistakes;
mod process;
mod study;
mod vectors;
mod verify;
