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

use crate::cluster::{Link, wire as wire_seconds};
use crate::driver;
use crate::options::{Options, Study};
use crate::timing::{median, now};
use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::Plan;
use redist_study::links::{TimedMove, TimedSchedule};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::error::Error;

/// Launches ranks for a study and writes what they measure.
///
/// # Errors
/// As [`driver::run`].
pub fn run(study: Study, options: &Options) -> Result<(), Box<dyn Error>> {
    match study {
        Study::Schedules => write::<TimedSchedule>("schedules.csv", options),
        Study::HsuChung => write::<TimedMove>("moves.csv", options),
    }
}

fn write<Row: Serialize + DeserializeOwned>(
    file: &str,
    options: &Options,
) -> Result<(), Box<dyn Error>> {
    let _nodes = driver::nodes(options)?;
    std::fs::create_dir_all(&options.out)?;
    let mut csv = csv::Writer::from_path(options.out.join(file))?;
    for ranks in options.ranks() {
        for row in driver::measure::<Row>(ranks, options, |_| ())? {
            csv.serialize(row)?;
        }
    }
    Ok(csv.flush()?)
}

/// A rank of a study.
///
/// # Errors
/// A wrong result, or a case that the planner refuses: the same on all ranks.
pub fn work(
    study: Study,
    world: &SimpleCommunicator,
    options: &Options,
) -> Result<(), Box<dyn Error>> {
    match study {
        Study::Schedules => schedules::measure(world, options),
        Study::HsuChung => packing::measure(world, options),
    }
}

/// Tells rank 0's findings to the process that reports.
fn tell(world: &SimpleCommunicator, row: &impl Serialize) -> Result<(), Box<dyn Error>> {
    if Communicator::rank(world) == 0 {
        println!("{}", serde_json::to_string(row)?);
    }
    Ok(())
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

/// Milliseconds, of the median sample.
fn milliseconds(mut samples: Vec<f64>) -> f64 {
    median(&mut samples) * 1e3
}

/// Nodes, and the links between them.
fn network(options: &Options) -> Result<(usize, &Link), Box<dyn Error>> {
    let network = options.nodes.zip(options.link.as_ref());
    network.ok_or_else(|| "a study needs --nodes and --link".into())
}

/// Milliseconds in which the busiest link carries what it has to.
fn wire<const D: usize>(plan: &Plan<D>, bytes: usize, (nodes, link): (usize, &Link)) -> f64 {
    wire_seconds(plan, bytes, nodes, link) * 1e3
}
