//! Reasons why a description cannot be planned.

use super::report::Mistakes;
use crate::failure::CommandFailure;

/// The reason why there is no plan.
#[derive(Debug)]
pub enum Refusal {
    /// Mistakes, at their words.
    Mistakes(Mistakes),
    /// An option that does not fit, in a sentence.
    Option(String),
}

impl From<Mistakes> for Refusal {
    fn from(mistakes: Mistakes) -> Self {
        Refusal::Mistakes(mistakes)
    }
}

impl From<Refusal> for CommandFailure {
    fn from(refusal: Refusal) -> Self {
        CommandFailure::InputOptions(match refusal {
            Refusal::Mistakes(mistakes) => mistakes.to_string(),
            Refusal::Option(message) => format!("error: {message}"),
        })
    }
}
