//! A rank: it measures one row.

use crate::options::Study;
use crate::peer::Peers;
use crate::{papers, transforms};
use clap::ValueEnum;
use pico_args::Arguments;
use redist_measuring::Turns;
use redist_moves::ranks::{Worker, with_world};
use std::error::Error;

/// What a row is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Moves.
    Moves,
    /// Matrices that are transposed, or scaled and added.
    Transforms,
    /// An experiment of a paper.
    Study(Study),
}

impl Kind {
    /// The option that says the same to a rank.
    pub fn to_arguments(self) -> Vec<String> {
        match self {
            Kind::Moves => Vec::new(),
            Kind::Transforms => vec!["--transforms".into()],
            Kind::Study(study) => {
                let name = study.to_possible_value().map(|value| value.get_name().to_owned());
                ["--study".into()].into_iter().chain(name).collect()
            }
        }
    }

    fn from_arguments(arguments: &mut Arguments) -> Result<Self, Box<dyn Error>> {
        if arguments.contains("--transforms") {
            return Ok(Kind::Transforms);
        }
        let study: Option<String> = arguments.opt_value_from_str("--study")?;
        Ok(match study {
            Some(name) => Kind::Study(Study::from_str(&name, false)?),
            None => Kind::Moves,
        })
    }
}

/// Measures a row. Collective.
///
/// # Errors
/// A row that is not understood, or a wrong result; the same on all ranks.
pub fn run(row: String, mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let kind = Kind::from_arguments(&mut arguments)?;
    let turns = Turns::default().or_said(&mut arguments)?;
    let worker = Worker::from_arguments(row, turns, &mut arguments)?;
    with_world(|world| match kind {
        Kind::Moves => worker.work::<Peers>(world),
        Kind::Transforms => transforms::work(world, &worker),
        Kind::Study(study) => papers::work(study, world, &worker),
    })
}
