//! Any communicator of a user's.

use crate::FROM_THREE;
use crate::arrays::{case, moves};
use redist::mpi::{Communicator, RawCommunicator};
use redist_mpi_tests::{Case, Outcome, part, reversed};

pub const CASES: &[Case] = &[
    Case::new("communicators::duplicate", FROM_THREE, duplicate),
    Case::new("communicators::halves", &[2, 3, 4, 6, 9, 12], halves),
    Case::new("communicators::part_of_the_world", &[4, 6, 9, 12], part_of_the_world),
    Case::new("communicators::reversed", FROM_THREE, in_reversed_order),
    Case::new("communicators::raw_handles", FROM_THREE, raw_handles),
];

fn line(ranks: usize) -> redist_testing::strategies::Case<1> {
    case([101], &format!("block onto {ranks}"), &format!("cyclic(3) onto {ranks}"))
}

fn duplicate(world: &Communicator) -> Outcome {
    moves::<u64, 1, _>(&line(3), &world.duplicate()?)
}

fn halves(world: &Communicator) -> Outcome {
    let color = world.rank() % 2;
    let half = world.split(color, world.rank())?;
    let case =
        if color == 0 { line(half.size()) } else { case([64], "cyclic(5) onto 1", "block onto 1") };
    (0..20).try_for_each(|_| moves::<u64, 1, _>(&case, &half))
}

fn part_of_the_world(world: &Communicator) -> Outcome {
    match part(world, world.rank() < 3)? {
        Some(part) => moves::<u64, 1, _>(&line(3), &part),
        None => Ok(()),
    }
}

fn in_reversed_order(world: &Communicator) -> Outcome {
    let reversed = reversed(world)?;
    assert_eq!(reversed.rank(), world.size() - 1 - world.rank());
    moves::<u64, 1, _>(&line(3), &reversed)
}

fn raw_handles(world: &Communicator) -> Outcome {
    let handle = world.as_raw();
    // SAFETY: the handles belong to an intracommunicator, which lives until the end. A handle of
    // C is as long as the word, or its lower half.
    let handles = unsafe {
        [
            RawCommunicator::new(handle)?,
            RawCommunicator::from_fortran(world.as_fortran())?,
            RawCommunicator::from_place((&raw const handle).cast())?,
        ]
    };
    handles.iter().try_for_each(|communicator| moves::<u64, 1, _>(&line(3), communicator))
}
