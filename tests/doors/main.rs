//! How users come in: public names, the command line, and the pages that describe the code.

mod architecture;
mod claims;
#[cfg(feature = "cli")]
mod cli;
mod cycles;
mod prose;
mod surface;
