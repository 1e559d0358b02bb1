//! Runs the command line.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

#[derive(Debug)]
pub struct Run {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

pub fn redist(arguments: &[&str]) -> Run {
    redist_with("", arguments)
}

pub fn redist_at(columns: usize, arguments: &[&str]) -> Run {
    run(
        Command::new(env!("CARGO_BIN_EXE_redist")).env("COLUMNS", columns.to_string()),
        "",
        arguments,
    )
}

pub fn redist_with(input: &str, arguments: &[&str]) -> Run {
    run(Command::new(env!("CARGO_BIN_EXE_redist")).env_remove("COLUMNS"), input, arguments)
}

fn run(command: &mut Command, input: &str, arguments: &[&str]) -> Run {
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // Dropped at once, so that the text ends. A program that does not read it may have ended
    // already.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Run { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

pub fn json(arguments: &[&str]) -> Vec<serde_json::Value> {
    let run = redist(&[&["explain", "--json"], arguments].concat());
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    run.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

pub fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("the folder for files of tests is writable");
    path
}
