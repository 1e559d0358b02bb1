//! Public names, the command line, and the pages about the code.

mod architecture;
mod claims;
#[cfg(feature = "cli")]
mod cli;
mod cycles;
mod features;
mod hidden;
mod promises;
mod prose;
mod sizes;
mod surface;
mod text;
mod words;
