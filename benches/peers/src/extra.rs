//! Programs of the user's: one line of JSON in, one line of JSON out.

use crate::cluster::launcher;
use crate::measured::{Measured, Method, Times};
use crate::options::Options;
use serde::Serialize;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

/// What an extra program reads: a case of the table.
#[derive(Serialize)]
struct Question<'a> {
    element: &'a str,
    extents: &'a [usize],
    from: &'a str,
    to: &'a str,
    ranks: usize,
    repetitions: usize,
}

/// Launches `program` for one case and reads its answer.
pub fn ask(program: &Path, case: &Measured, options: &Options) -> Method {
    let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    Method { name, outcome: answer(program, case, options) }
}

fn answer(program: &Path, case: &Measured, options: &Options) -> Result<Times, String> {
    let Measured { element, extents, from, to, ranks, .. } = case;
    let question =
        Question { element, extents, from, to, ranks: *ranks, repetitions: options.repetitions };
    let line = serde_json::to_string(&question).map_err(|error| error.to_string())?;
    let mut child = launcher(*ranks, options.nodes.is_some())
        .arg(program)
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
