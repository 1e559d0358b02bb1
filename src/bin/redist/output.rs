//! Writes to standard output, and shows progress.

use crate::failure::CommandFailure;
use indicatif::{ProgressBar, ProgressStyle};
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

/// Shows progress up to `all`; nothing where standard error is no terminal.
pub fn bar(all: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(all).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
