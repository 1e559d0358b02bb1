//! Failures of a command, and their exit status.

use std::fmt::Display;
use std::io::{Write, stderr};
use std::process::ExitCode;

/// The reason why a command ended early.
#[derive(Debug)]
pub enum CommandFailure {
    /// Exit status 2, like wrong options.
    InputOptions(String),
    /// Exit status 1.
    Work(String),
}

impl CommandFailure {
    pub fn work(what: impl Display, error: impl Display) -> Self {
        CommandFailure::Work(format!("{what}: {error}"))
    }

    /// Tells the failure, and returns the exit status.
    pub fn report(&self) -> ExitCode {
        ExitCode::from(self.tell())
    }

    /// Tells the failure, and returns the number of the exit status.
    pub fn tell(&self) -> u8 {
        let (message, status) = match self {
            CommandFailure::InputOptions(message) => (message, 2),
            CommandFailure::Work(message) => (message, 1),
        };
        // In one write, so that ranks which share a terminal tell it in lines of their own.
        let line = plain(message.trim_end()) + "\n";
        let _ = stderr().write_all(line.as_bytes());
        status
    }
}

fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character.is_control() && character != '\n' {
            true => plain.extend(character.escape_default()),
            false => plain.push(character),
        }
    }
    plain
}
