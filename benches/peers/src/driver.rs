//! Launches ranks for each row of the table, on nodes if the caller wants some.

use crate::options::Options;
use crate::{extra, report};
use redist_measuring::cluster::{Cluster, NoNodes, mpiexec};
use redist_measuring::session::complaints;
use redist_measuring::{Measured, Session, Task};
use redist_moves::ranks::Worker;
use std::error::Error;
use std::io;
use std::process::Command;

/// Measures all rows. Writes the table and the CSV as rows end, the charts at the end.
pub fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let session = options.session("peers");
    let write = |measured: &[Measured]| report::write(measured, &options.out, &session.head());
    let mut measured = launch(options, &session, |measured, number| {
        report::show(&measured[number]);
        write(measured)
    })?;
    for program in &options.extra {
        for row in &mut measured {
            extra::ask(program, row, options);
        }
    }
    println!("{}", report::markdown(&measured, &session.head()));
    write(&measured)?;
    report::draw(&measured, &options.out)?;
    Ok(complaints(&measured)?)
}

pub fn launch(
    options: &Options,
    session: &Session,
    show: impl FnMut(&[Measured], usize) -> io::Result<()>,
) -> Result<Vec<Measured>, Box<dyn Error>> {
    let tasks = options.tasks();
    if tasks.is_empty() {
        return Err(
            "no row was asked for: the table has rows for 2 and 4 ranks; `--case` adds others"
                .into(),
        );
    }
    let _nodes = nodes(options)?;
    eprintln!("{}", session.head());
    Ok(session.run(&tasks, |task, seed| command(options, task, seed), show)?)
}

fn nodes(options: &Options) -> Result<Option<Cluster>, NoNodes> {
    options.nodes.map(|nodes| Cluster::up(nodes, options.link.as_ref())).transpose()
}

fn command(options: &Options, task: &Task, seed: u64) -> io::Result<Command> {
    let worker = Worker {
        row: task.row.clone(),
        turns: options.turns(),
        methods: options.methods.clone(),
        network: options.network(),
        moves_only: false,
    };
    let program = std::env::current_exe()?;
    let mut command = mpiexec(task.ranks, options.nodes.is_some(), program);
    command.args(worker.to_arguments(seed)).args(options.kind().to_arguments());
    Ok(command)
}
