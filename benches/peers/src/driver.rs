//! The process that launches ranks and reports.

use crate::cluster::{Cluster, launcher};
use crate::measured::Measured;
use crate::options::Options;
use crate::{extra, report};
use clap::ValueEnum;
use serde::de::DeserializeOwned;
use std::error::Error;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// Measures with each number of ranks, then writes the table, the CSV and the chart.
///
/// # Errors
/// No launcher, ranks that fail, files that cannot be written, or a method whose result is wrong.
pub fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let mut measured = Vec::new();
    let _cluster = nodes(options)?;
    for ranks in options.ranks() {
        measured.extend(measure(ranks, options, report::show)?);
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
            .map(|program| extra::ask(program, case, options))
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

/// The nodes that were asked for, if any.
///
/// # Errors
/// This machine allows no such thing.
pub fn nodes(options: &Options) -> Result<Option<Cluster>, Box<dyn Error>> {
    options.nodes.map(|nodes| Cluster::up(nodes, options.link.as_ref())).transpose()
}

/// Launches ranks, and collects what they tell: a line of JSON each. `show` sees each as it comes.
///
/// # Errors
/// No launcher, or ranks that fail.
pub fn measure<Row: DeserializeOwned>(
    ranks: usize,
    options: &Options,
    show: impl Fn(&Row),
) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut command = launcher(ranks, options.nodes.is_some());
    command.arg(std::env::current_exe()?).args(["--worker", "--only", &options.only]);
    command.args(["--repetitions", &options.repetitions.to_string()]);
    if let Some(study) = options.study.and_then(|study| study.to_possible_value()) {
        command.args(["--study", study.get_name()]);
    }
    if !options.methods.is_empty() {
        command.args(["--methods", &options.methods.join(",")]);
    }
    if options.transforms {
        command.arg("--transforms");
    }
    for case in options.cases(ranks) {
        command.args(["--case", &case]);
    }
    if let (Some(nodes), Some(link)) = (options.nodes, &options.link) {
        command.args(["--nodes", &nodes.to_string(), "--link", &link.to_string()]);
    }
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut measured = Vec::new();
    for line in child.stdout.take().into_iter().flat_map(|output| BufReader::new(output).lines()) {
        let row = serde_json::from_str(&line?)?;
        show(&row);
        measured.push(row);
    }
    match child.wait()? {
        status if status.success() => Ok(measured),
        status => Err(format!("{ranks} ranks ended with {status}").into()),
    }
}
