//! Ratios of one row.

use crate::judge::Judged;

/// Ratios of one row, base to this commit, by round.
#[derive(Clone, Debug, Default)]
pub struct Ratios {
    /// In the rounds for all rows.
    pub first: Vec<f64>,
    /// In the rounds for suspects.
    pub again: Vec<f64>,
}

pub type Name = (&'static str, String, usize, String);

impl Ratios {
    /// Judges by the rounds for suspects only, because the first rounds made the row a suspect.
    pub fn judged(&self) -> Judged {
        Judged::of(if self.again.is_empty() { &self.first } else { &self.again })
    }

    pub fn is_slower(&self) -> bool {
        self.was_suspect() && !self.again.is_empty() && self.judged().is_slower()
    }

    pub fn is_open(&self) -> bool {
        self.was_suspect() && (self.again.is_empty() || !self.judged().is_told())
    }

    pub fn was_suspect(&self) -> bool {
        Judged::of(&self.first).is_suspect()
    }
}
