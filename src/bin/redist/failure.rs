//! How a command fails.

use std::fmt::Display;
use std::process::ExitCode;

/// Why a command ended early.
#[derive(Debug)]
pub enum CommandFailure {
    /// What was asked cannot be understood: exit status 2, like wrong options.
    InputOptions(String),
    /// It was understood, and went wrong: exit status 1.
    Work(String),
}

impl CommandFailure {
    /// What went wrong while doing `what`.
    pub fn work(what: impl Display, error: impl Display) -> Self {
        CommandFailure::Work(format!("{what}: {error}"))
    }

    /// Tells the user.
    pub fn report(&self) -> ExitCode {
        let (message, status) = match self {
            CommandFailure::InputOptions(message) => (message, 2),
            CommandFailure::Work(message) => (message, 1),
        };
        eprintln!("{}", message.trim_end());
        ExitCode::from(status)
    }
}
