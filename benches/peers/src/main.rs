//! `redist` beside what users would take instead, in one process group and in one run.
//!
//! Called as it is, it launches itself under `mpiexec`, once for each number of ranks; those ranks
//! measure ([`worker`]) and this process reports.

mod cluster;
mod driver;
mod extra;
mod measured;
mod options;
mod papers;
mod peer;
mod report;
mod rows;
mod timing;
mod transforms;
mod worker;

use clap::Parser;
use options::Options;
use std::process::ExitCode;

fn main() -> ExitCode {
    let options = Options::parse();
    let result = match options.study {
        _ if options.worker => worker::run(&options),
        Some(study) => papers::run(study, &options),
        None => driver::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
