//! `redist` beside its alternatives, in one process group and in one run. Launches itself under
//! `mpiexec` for each row, several times; those ranks measure ([`worker`]).

mod driver;
mod extra;
mod kind;
mod options;
mod peer;
mod report;
mod transforms;
mod worker;

use clap::Parser;
use options::Options;
use pico_args::Arguments;
use std::error::Error;
use std::process::ExitCode;

fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = Arguments::from_env();
    if let Some(row) = arguments.opt_value_from_str("--worker")? {
        return worker::run(row, arguments);
    }
    driver::run(&Options::parse())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
