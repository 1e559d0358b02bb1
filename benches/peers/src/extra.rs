//! Programs outside of this workspace that measure a row.

use crate::options::Options;
use redist_measuring::cluster::mpiexec;
use redist_measuring::{Array, Measured, Method, Row, Times};
use serde::Serialize;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

/// A row, as the program is asked for it.
#[derive(Serialize)]
struct Question<'a> {
    element: &'a str,
    /// Extents, in elements.
    extents: &'a [usize],
    from: &'a str,
    to: &'a str,
    /// Number of ranks.
    ranks: usize,
    /// Moves to measure.
    repetitions: usize,
}

/// Launches `program` for one row and adds its answer to the first process group's.
pub fn ask(program: &Path, measured: &mut Measured, options: &Options) {
    let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    let Some(row) = measured.processes.iter_mut().find_map(|process| process.as_mut().ok()) else {
        return;
    };
    let outcome = answer(program, row, options);
    row.methods.push(Method { name, outcome });
}

fn answer(program: &Path, row: &Row, options: &Options) -> Result<Times, String> {
    let Array { element, extents, from, to } = row.array.as_ref().ok_or("no array is moved")?;
    let (ranks, repetitions) = (row.ranks, options.turns().least);
    let question = Question { element, extents, from, to, ranks, repetitions };
    let line = serde_json::to_string(&question).map_err(|error| error.to_string())?;
    let mut child = mpiexec(ranks, options.nodes.is_some(), program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("it could not be launched: {error}"))?;
    if let Some(mut input) = child.stdin.take() {
        writeln!(input, "{line}").map_err(|error| format!("it does not read the case: {error}"))?;
    }
    let mut lines =
        child.stdout.take().into_iter().flat_map(|output| BufReader::new(output).lines());
    let times = lines.find_map(|line| serde_json::from_str(&line.ok()?).ok());
    let status = child.wait().map_err(|error| error.to_string())?;
    times.ok_or_else(|| format!("it gave no answer ({status})"))
}
