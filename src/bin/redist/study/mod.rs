//! `redist study`.

use crate::failure::Failure;
use clap::Args;

/// Not there yet.
#[derive(Args)]
pub struct Options {
    /// Which one.
    name: String,
}

/// Runs the command.
pub fn run(options: Options) -> Result<(), Failure> {
    Err(Failure::Input(format!("not there yet: {}", options.name)))
}
