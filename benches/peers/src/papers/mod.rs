//! Experiments of the papers over links between nodes: `--study`. What is measured is described
//! where it is shown, in `redist_study::links`.
//!
//! | file | |
//! |---|---|
//! | `exchange.rs` | packed messages, all at once or in steps |
//! | `schedules.rs` | Park, Prasanna and Raghavendra: schedules |
//! | `packing.rs` | Hsu and Chung: ways to pack and unpack |

mod exchange;
mod packing;
mod schedules;

use crate::driver;
use crate::options::{Options, Study};
use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist_measuring::session::{complaints, replace};
use redist_measuring::{Measured, Method, Row, Spread, Task};
use redist_moves::ranks::Worker;
use redist_moves::wall::now;
use serde::Serialize;
use std::error::Error;
use std::io;

/// The rows of a study on as many ranks: its cases, by their numbers.
pub fn tasks(study: Study, ranks: usize) -> Vec<Task> {
    let cases = match study {
        Study::Schedules => schedules::cases(ranks).len(),
        Study::HsuChung => packing::cases(ranks).len(),
    };
    (0..cases).map(|case| Task { row: case.to_string(), ranks }).collect()
}

/// Launches ranks for each case of a study, and writes what they measure as cases end.
///
/// # Errors
/// No network, ranks that fail, or files that cannot be written.
pub fn run(study: Study, options: &Options) -> Result<(), Box<dyn Error>> {
    let network = options.network().ok_or("a study needs --nodes and --link")?;
    match study {
        Study::Schedules => {
            write(options, "schedules", |measured| schedules::lines(measured, &network))
        }
        Study::HsuChung => write(options, "moves", |measured| packing::lines(measured, &network)),
    }
}

fn write<Line: Serialize>(
    options: &Options,
    name: &str,
    lines: impl Fn(&Measured) -> Result<Vec<Line>, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let file = options.out.join(format!("{name}.csv"));
    let csv = |measured: &[Measured]| -> Result<String, Box<dyn Error>> {
        let mut csv = csv::Writer::from_writer(Vec::new());
        for case in measured.iter().filter(|case| case.rows().next().is_some()) {
            for line in lines(case)? {
                csv.serialize(line)?;
            }
        }
        Ok(String::from_utf8(csv.into_inner()?)?)
    };
    let session = options.session(name);
    let measured = driver::launch(options, &session, |measured, number| {
        let case = &measured[number];
        eprintln!("{} ranks, case {}, {}", case.task.ranks, case.name(), case.processes.len());
        let text = csv(measured).map_err(|error| io::Error::other(error.to_string()))?;
        replace(&file, &text)
    })?;
    Ok(complaints(&measured)?)
}

/// A rank of a study, which measures one case.
///
/// # Errors
/// A wrong result, or a case that the planner refuses: the same on all ranks.
pub fn work(
    study: Study,
    world: &SimpleCommunicator,
    worker: &Worker,
) -> Result<(), Box<dyn Error>> {
    let case: usize = worker.row.parse()?;
    let ranks = Communicator::size(world) as usize;
    let methods = match study {
        Study::Schedules => schedules::measure(&schedules::cases(ranks)[case], world, worker)?,
        Study::HsuChung => packing::measure(packing::cases(ranks)[case], world, worker)?,
    };
    if Communicator::rank(world) == 0 {
        Row::plain(&*worker.row, ranks, methods).tell();
    }
    Ok(())
}

/// A phase of a method, as processes tell of it.
fn phase(method: &str, phase: &str, samples: &[f64]) -> Method {
    Method::timed(format!("{method} | {phase}"), samples)
}

/// Milliseconds of a phase of a method, over the processes.
fn milliseconds(measured: &Measured, method: &str, phase: &str) -> Option<Spread> {
    measured.figure(&format!("{method} | {phase}"), |_, times| times.median * 1e3)
}

/// Seconds that this rank works, after all have come. Collective.
fn alone(world: &SimpleCommunicator, work: impl FnOnce()) -> f64 {
    world.barrier();
    let start = now();
    work();
    now() - start
}

/// Every rank's number, on all ranks. Collective.
fn of_all(world: &SimpleCommunicator, mine: f64) -> Vec<f64> {
    let mut all = vec![0.0; Communicator::size(world) as usize];
    world.all_gather_into(&mine, &mut all[..]);
    all
}

/// Whether all ranks agree that all is well. Collective.
fn all_right(world: &SimpleCommunicator, mine: bool) -> bool {
    let mut all = 0;
    world.all_reduce_into(&i32::from(mine), &mut all, SystemOperation::min());
    all == 1
}
