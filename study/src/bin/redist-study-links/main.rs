//! `redist-study-links`: the papers' experiments over links between emulated nodes. Launches itself
//! under `mpiexec` for each case; those ranks measure.

mod exchange;
mod latency;
mod options;
mod packing;
mod papers;
mod phases;
mod schedules;

use clap::{Parser, ValueEnum};
use latency::Latency;
use options::Options;
use papers::Study;
use pico_args::Arguments;
use redist_measuring::cluster::{Cluster, mpiexec};
use redist_measuring::session::{complaints, replace};
use redist_measuring::{Measured, Task, Turns};
use redist_moves::ranks::{Worker, with_world};
use serde::Serialize;
use std::error::Error;
use std::io;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = Arguments::from_env();
    if let Some(row) = arguments.opt_value_from_str("--worker")? {
        return work(row, arguments);
    }
    let options = Options::parse();
    let network = options.network();
    match options.study {
        Study::Schedules => {
            write(&options, "schedules", |measured| schedules::lines(measured, &network))
        }
        Study::HsuChung => write(&options, "moves", |measured| {
            packing::lines(measured, &network, options.latency())
        }),
    }
}

/// Is one rank of one case. Collective.
fn work(row: String, mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let study: String = arguments.value_from_str("--study")?;
    let study = Study::from_str(&study, false)?;
    let latency: f64 = arguments.value_from_str("--latency")?;
    let latency = Latency(latency * 1e-6);
    let turns = Turns::default().or_said(&mut arguments)?;
    let worker = Worker::from_arguments(row, turns, &mut arguments)?;
    with_world(|world| study.work(world, (&worker, latency)))
}

/// Launches ranks for each case of a study, and writes what they measure as cases end.
fn write<Line: Serialize>(
    options: &Options,
    name: &str,
    lines: impl Fn(&Measured) -> Result<Vec<Line>, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let tasks = options.tasks();
    if tasks.is_empty() {
        return Err(format!("there is no such case on {} ranks", options.nodes).into());
    }
    let file = options.out.join(format!("{name}.csv"));
    let session = options.session(name);
    let _nodes = Cluster::up(options.nodes, Some(&options.link))?;
    eprintln!("{}", session.head());
    let measured = session.run(
        &tasks,
        |task, seed| command(options, task, seed),
        |measured, number| {
            let case = &measured[number];
            let done = case.processes.len();
            eprintln!("{} ranks, case {}, {done}", case.task.ranks, case.name());
            let text =
                csv(measured, &lines).map_err(|error| io::Error::other(error.to_string()))?;
            replace(&file, &text)
        },
    )?;
    Ok(complaints(&measured)?)
}

fn command(options: &Options, task: &Task, seed: u64) -> io::Result<Command> {
    let worker = Worker {
        row: task.row.clone(),
        turns: options.turns(),
        methods: Vec::new(),
        network: Some(options.network()),
        moves_only: false,
    };
    let mut command = mpiexec(task.ranks, true, std::env::current_exe()?);
    command.args(worker.to_arguments(seed)).args(["--study".into(), options.study.word()]);
    command.args(["--latency".into(), options.latency.to_string()]);
    Ok(command)
}

fn csv<Line: Serialize>(
    measured: &[Measured],
    lines: impl Fn(&Measured) -> Result<Vec<Line>, Box<dyn Error>>,
) -> Result<String, Box<dyn Error>> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    for case in measured.iter().filter(|case| case.rows().next().is_some()) {
        for line in lines(case)? {
            csv.serialize(line)?;
        }
    }
    Ok(String::from_utf8(csv.into_inner()?)?)
}
