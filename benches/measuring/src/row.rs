//! The line of JSON that a process tells of a row.

use crate::Times;
use serde::{Deserialize, Serialize};

/// One row, measured in one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The name of the row.
    pub row: String,
    /// Number of ranks.
    pub ranks: usize,
    /// The array, where the row moves one.
    #[serde(default)]
    pub array: Option<Array>,
    /// Seconds that the links between nodes need: the bytes of the node that sends or receives
    /// most, over their rate. `None` on one node, or with links of no stated rate.
    #[serde(default)]
    pub wire: Option<f64>,
    /// Further words.
    #[serde(default)]
    pub note: String,
    /// The methods, in the order of the columns. The first is the unit.
    pub methods: Vec<Method>,
}

/// An array that is moved, in the macro's notation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Array {
    /// The element type.
    pub element: String,
    /// Extents, in elements.
    pub extents: Vec<usize>,
    /// The source's layout.
    pub from: String,
    /// The destination's layout.
    pub to: String,
}

/// One method on one row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Method {
    /// The name of the method.
    pub name: String,
    /// Its times, or why it cannot do this row.
    pub outcome: Result<Times, String>,
}

impl Method {
    /// A method that took its turns.
    pub fn timed(name: impl Into<String>, samples: &[f64]) -> Self {
        Self { name: name.into(), outcome: Ok(Times::of(samples)) }
    }
}

impl Row {
    /// A row that moves no array that is worth telling.
    pub fn plain(row: impl Into<String>, ranks: usize, methods: Vec<Method>) -> Self {
        Self { row: row.into(), ranks, array: None, wire: None, note: String::new(), methods }
    }

    /// A method's times, if there is one of this name and it can do the row.
    pub fn times(&self, method: &str) -> Option<&Times> {
        self.methods.iter().find(|other| other.name == method)?.outcome.as_ref().ok()
    }

    /// The median of a method over that of the first, the unit.
    pub fn ratio(&self, method: &str) -> Option<f64> {
        let unit = self.methods.first()?.outcome.as_ref().ok()?.median;
        Some(self.times(method)?.median / unit)
    }

    /// Elements that a method got wrong.
    pub fn wrong(&self) -> u64 {
        self.methods.iter().filter_map(|method| method.outcome.as_ref().ok()).map(|t| t.wrong).sum()
    }

    /// Tells the process that launched this one.
    ///
    /// # Panics
    /// If nobody reads what is told.
    pub fn tell(&self) {
        println!("{}", serde_json::to_string(self).expect("numbers and texts have a JSON form"));
    }
}
