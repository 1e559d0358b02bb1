//! The cases that a run has: moves of the table, or transforms.

use pico_args::Arguments;

/// The kind of measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Moves,
    Transforms,
}

impl Kind {
    /// Returns the words by which a worker is told the kind.
    pub fn to_arguments(self) -> &'static [&'static str] {
        match self {
            Kind::Moves => &[],
            Kind::Transforms => &["--transforms"],
        }
    }

    /// Takes the kind off a worker's command line.
    pub fn from_arguments(arguments: &mut Arguments) -> Self {
        if arguments.contains("--transforms") { Kind::Transforms } else { Kind::Moves }
    }
}
