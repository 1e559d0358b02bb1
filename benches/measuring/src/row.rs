//! Rows: results of one process.

use crate::Times;
use serde::{Deserialize, Serialize};

/// One row, measured in one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub row: String,
    /// Number of ranks.
    pub ranks: usize,
    #[serde(default)]
    pub array: Option<Array>,
    /// Seconds that the links need: the busiest node's bytes over their rate. `None` on one node,
    /// or without a stated rate.
    #[serde(default)]
    pub wire: Option<f64>,
    #[serde(default)]
    pub note: String,
    /// The methods, in the order of the columns. The first is the unit.
    pub methods: Vec<Method>,
}

/// The array of a row, with both layouts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Array {
    pub element: String,
    /// Extents, in elements.
    pub extents: Vec<usize>,
    pub from: String,
    pub to: String,
}

/// One column of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Method {
    pub name: String,
    /// Its times, or the reason against it on this row.
    pub outcome: Result<Times, String>,
}

impl Method {
    /// Makes a method of its rounds.
    pub fn timed(name: impl Into<String>, samples: &[f64]) -> Self {
        Self { name: name.into(), outcome: Ok(Times::of(samples)) }
    }
}

impl Row {
    pub fn plain(row: impl Into<String>, ranks: usize, methods: Vec<Method>) -> Self {
        Self { row: row.into(), ranks, array: None, wire: None, note: String::new(), methods }
    }

    pub fn times(&self, method: &str) -> Option<&Times> {
        self.methods.iter().find(|other| other.name == method)?.outcome.as_ref().ok()
    }

    /// Returns a method's median over that of the first, the unit.
    pub fn ratio(&self, method: &str) -> Option<f64> {
        let unit = self.methods.first()?.outcome.as_ref().ok()?.median;
        Some(self.times(method)?.median / unit)
    }

    pub fn wrong(&self) -> u64 {
        self.methods.iter().filter_map(|method| method.outcome.as_ref().ok()).map(|t| t.wrong).sum()
    }

    pub fn tell(&self) {
        println!("{}", serde_json::to_string(self).expect("numbers and texts have a JSON form"));
    }
}
