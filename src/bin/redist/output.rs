use crate::failure::CommandFailure;
use serde::Serialize;
use std::io::{self, Write};

/// Writes to standard output. A reader that has closed the pipe is no error.
pub fn print(text: &str) -> Result<(), CommandFailure> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| CommandFailure::work("standard output", error)),
    }
}

pub fn print_json(report: &impl Serialize) -> Result<(), CommandFailure> {
    let line = serde_json::to_string(report);
    print(&(line.map_err(|error| CommandFailure::work("writing JSON", error))? + "\n"))
}
