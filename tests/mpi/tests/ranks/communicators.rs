//! Any communicator that a user may have.

use crate::FROM_THREE;
use crate::arrays::{case, moves};
use mpi::topology::{Color, SimpleCommunicator};
use mpi::traits::*;
use redist::mpi::RawCommunicator;
use redist_mpi_tests::{Case, Outcome};

pub const CASES: &[Case] = &[
    Case::new("communicators::duplicate", FROM_THREE, duplicate),
    Case::new("communicators::halves", &[2, 3, 4, 6, 9, 12], halves),
    Case::new("communicators::part_of_the_world", &[4, 6, 9, 12], part_of_the_world),
    Case::new("communicators::reversed", FROM_THREE, reversed),
    Case::new("communicators::cartesian", &[4, 6, 9, 12], cartesian),
    Case::new("communicators::raw_handle", FROM_THREE, raw_handle),
];

fn line(ranks: usize) -> redist_testing::strategies::Case<1> {
    case([101], &format!("block onto {ranks}"), &format!("cyclic(3) onto {ranks}"))
}

fn duplicate(world: &SimpleCommunicator) -> Outcome {
    moves::<u64, 1, _>(&line(3), &world.duplicate())
}

/// Both halves move at the same time, and not the same.
fn halves(world: &SimpleCommunicator) -> Outcome {
    let color = world.rank() % 2;
    let half = world.split_by_color(Color::with_value(color)).ok_or("every rank has a color")?;
    let case = if color == 0 {
        line(half.size() as usize)
    } else {
        case([64], "cyclic(5) onto 1", "block onto 1")
    };
    (0..20).try_for_each(|_| moves::<u64, 1, _>(&case, &half))
}

/// The others are not even asked.
fn part_of_the_world(world: &SimpleCommunicator) -> Outcome {
    let color = if world.rank() < 3 { Color::with_value(0) } else { Color::undefined() };
    match world.split_by_color(color) {
        Some(part) => moves::<u64, 1, _>(&line(3), &part),
        None => Ok(()),
    }
}

fn reversed(world: &SimpleCommunicator) -> Outcome {
    let color = Color::with_value(0);
    let reversed =
        world.split_by_color_with_key(color, -world.rank()).ok_or("every rank has a color")?;
    assert_eq!(reversed.rank(), world.size() - 1 - world.rank());
    moves::<u64, 1, _>(&line(3), &reversed)
}

fn cartesian(world: &SimpleCommunicator) -> Outcome {
    let grid = world.create_cartesian_communicator(&[2, world.size() / 2], &[false; 2], false);
    grid.map_or(Ok(()), |grid| moves::<u64, 1, _>(&line(4), &grid))
}

fn raw_handle(world: &SimpleCommunicator) -> Outcome {
    let handle = world.as_raw();
    // SAFETY: the world's handle is an intracommunicator, and lives until the end.
    let communicator = unsafe { RawCommunicator::from_place((&raw const handle).cast()) }?;
    moves::<u64, 1, _>(&line(3), &communicator)
}
