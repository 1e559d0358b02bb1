//! Measures one row on all ranks.

use crate::kind::Kind;
use crate::peer::Peers;
use crate::transforms;
use pico_args::Arguments;
use redist_measuring::Turns;
use redist_moves::ranks::{Worker, with_world};
use std::error::Error;

/// Collective.
pub fn run(row: String, mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let kind = Kind::from_arguments(&mut arguments);
    let turns = Turns::default().or_said(&mut arguments)?;
    let worker = Worker::from_arguments(row, turns, &mut arguments)?;
    with_world(|world| match kind {
        Kind::Moves => worker.work::<Peers>(world),
        Kind::Transforms => transforms::work(world, &worker),
    })
}
