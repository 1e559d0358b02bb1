//! The command line as users run it.

mod convert;
mod copies;
mod draw;
mod explain;
mod input;
mod json;
mod lists;
mod mistakes;
mod process;
mod serve;
mod vectors;
mod verify;
