//! The command line `redist`: what a redistribution is, drawn and proven; files of it converted.

mod convert;
mod draw;
mod explain;
mod failure;
mod input;
mod lists;
mod output;
mod serve;
mod verify;
mod words;

use clap::{Parser, Subcommand};
use failure::CommandFailure;
use std::process::ExitCode;

/// Redistributions of block-cyclic arrays: explained, drawn and verified; files converted.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

// A command of the command line. Docs here would replace the help's first line.
#[derive(Subcommand)]
enum Command {
    Explain(explain::ExplainOptions),
    Draw(draw::DrawOptions),
    Verify(verify::VerifyOptions),
    Lists(lists::ListsOptions),
    Convert(convert::ConvertOptions),
    VerifyFiles(convert::VerifyFilesOptions),
    Serve(serve::ServeOptions),
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(command: Command) -> Result<(), CommandFailure> {
    match command {
        Command::Explain(options) => explain::run(options),
        Command::Draw(options) => draw::run(options),
        Command::Verify(options) => verify::run(options),
        Command::Lists(options) => lists::run(options),
        Command::Convert(options) => convert::run(options),
        Command::VerifyFiles(options) => convert::verify(options),
        Command::Serve(options) => serve::run(options),
    }
}
