//! How a command fails.

use std::fmt::Display;
use std::process::ExitCode;

/// Why a command ended early.
#[derive(Debug)]
pub enum Failure {
    /// What was asked cannot be understood: exit status 2, like wrong options.
    Input(String),
    /// It was understood, and went wrong: exit status 1.
    Work(String),
}

impl Failure {
    /// What went wrong while doing `what`.
    pub fn work(what: impl Display, error: impl Display) -> Self {
        Failure::Work(format!("{what}: {error}"))
    }

    /// Tells the user.
    pub fn report(&self) -> ExitCode {
        let (message, status) = match self {
            Failure::Input(message) => (message, 2),
            Failure::Work(message) => (message, 1),
        };
        eprintln!("{}", message.trim_end());
        ExitCode::from(status)
    }
}
