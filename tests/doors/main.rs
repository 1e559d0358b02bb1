//! Public names, the command line, and the pages about the code.

mod architecture;
mod claims;
#[cfg(feature = "cli")]
mod cli;
mod cycles;
mod prose;
mod surface;
