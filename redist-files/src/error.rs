//! Failures of a run.

use serde::{Deserialize, Serialize};

/// The reason why a run does nothing, or has failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Deserialize, Serialize)]
pub enum FilesError {
    /// The question makes no sense.
    #[error("{0}")]
    Asked(String),
    /// The files, or the system, do not allow it.
    #[error("{0}")]
    Failed(String),
}

impl FilesError {
    /// Changes the words.
    pub(crate) fn with(self, change: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Asked(words) => Self::Asked(change(words)),
            Self::Failed(words) => Self::Failed(change(words)),
        }
    }
}
