//! Programs of moves: a cell each.

use crate::limits;
use crate::numbers::{are_asked_for, number_in, numbers, print, this_number};
use crate::play::play;
use crate::program::Program;
use crate::reported::REPORTED;
use redist::mpi::Communicator;
use redist_mpi_tests::{Case, Outcome};
use std::error::Error;

/// Programs of a run of one library on one node, two or three: of all six such runs, 50 and 2,000.
const SOME: u64 = 9;
const ALL: u64 = 334;

/// Plays of a program that takes too long, because other processes may take its cores.
const PLAYS: usize = 3;

/// Seconds until a program has failed, or `REDIST_RIGHT_PATIENCE`: many times what any takes, on
/// cores that others use, too.
const PATIENCE: u64 = 60;

pub fn cases() -> Vec<Case> {
    let drawn = numbers("REDIST_RIGHT", (SOME, ALL));
    let reported = if are_asked_for() { 0 } else { REPORTED };
    (0..reported).chain(drawn).map(case).collect()
}

fn case(number: u64) -> Case {
    let ranks = Program::drawn(number).ranks;
    Case::new(format!("moves::{number}").leak(), vec![ranks].leak(), played)
        .limit(number_in("REDIST_RIGHT_PATIENCE").unwrap_or(PATIENCE))
}

fn played(world: &Communicator) -> Outcome {
    let program = Program::drawn(this_number()?);
    if world.rank() == 0 {
        print(&program, "REDIST_RIGHT", program.number);
    }
    for _ in 1..PLAYS {
        if too_long(&program, world)?.is_none() {
            return Ok(());
        }
    }
    too_long(&program, world)?.map_or(Ok(()), |late| Err(late.into()))
}

/// Plays a program; returns words about the time if it takes too long. Collective.
fn too_long(program: &Program, world: &Communicator) -> Result<Option<String>, Box<dyn Error>> {
    let played = play(program, world)?;
    limits::memory(&played)?;
    let words = |(elapsed, own)| {
        format!("the program took {elapsed:?}, and its ranks by themselves {own:?}")
    };
    Ok(limits::time(&played, world)?.map(words))
}
