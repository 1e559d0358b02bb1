//! The process that launches ranks and reports.

use crate::measured::Measured;
use crate::options::Options;
use crate::{extra, report};
use std::error::Error;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Measures with each number of ranks, then writes the table, the CSV and the chart.
///
/// # Errors
/// No launcher, ranks that fail, files that cannot be written, or a method whose result is wrong.
pub fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let mut measured = Vec::new();
    for &ranks in &options.ranks {
        measured.extend(measure(ranks, options)?);
    }
    if measured.is_empty() {
        return Err(
            "no case was measured: the table has cases for 2 and 4 ranks; `--case` adds others"
                .into(),
        );
    }
    for case in &mut measured {
        let extra = options
            .extra
            .iter()
            .map(|program| extra::ask(program, case, options.repetitions))
            .collect::<Vec<_>>();
        case.methods.extend(extra);
    }
    report::write(&measured, &options.out)?;
    let is_wrong = |case: &&Measured| {
        case.methods.iter().any(|method| method.outcome.as_ref().is_ok_and(|t| t.wrong > 0))
    };
    match measured.iter().find(is_wrong) {
        Some(case) => {
            Err(format!("a method got '{}' on {} ranks wrong", case.case, case.ranks).into())
        }
        None => Ok(()),
    }
}

/// The launcher with as many ranks, which need not be as many as there are cores.
pub fn launcher(ranks: usize) -> Command {
    let mut command = Command::new("mpiexec.openmpi");
    // Containers run as root; where there are fewer cores than ranks, those that wait must not
    // spin.
    command.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
    command.args([
        "--oversubscribe",
        "--bind-to",
        "none",
        "--mca",
        "mpi_yield_when_idle",
        "1",
        "-n",
    ]);
    command.arg(ranks.to_string());
    command
}

fn measure(ranks: usize, options: &Options) -> Result<Vec<Measured>, Box<dyn Error>> {
    let mut command = launcher(ranks);
    command.arg(std::env::current_exe()?).args(["--worker", "--only", &options.only]);
    command.args(["--repetitions", &options.repetitions.to_string()]);
    if !options.methods.is_empty() {
        command.args(["--methods", &options.methods.join(",")]);
    }
    for case in &options.case {
        command.args(["--case", case]);
    }
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut measured = Vec::new();
    for line in child.stdout.take().into_iter().flat_map(|output| BufReader::new(output).lines()) {
        let case: Measured = serde_json::from_str(&line?)?;
        report::show(&case);
        measured.push(case);
    }
    match child.wait()? {
        status if status.success() => Ok(measured),
        status => Err(format!("{ranks} ranks ended with {status}").into()),
    }
}
