//! The matrix of features over MPI, on one node, over several and between two programs: every cell
//! comes to what `docs/matrix.md` says.

use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::mpi::{Coupling, Programs, SharedArray};
use redist::{Bound, Element, Error, Side, Transport};
use redist_mpi_tests::{Case, Outcome, nodes};
use redist_testing::matrix::{Actor, RANKS, Way, World, play, playable};

/// A trial for each way.
pub const CASES: &[Case] = &[
    Case::new("matrix::messages", &[RANKS], |world| of_one(world, Way::Messages)).limit(60),
    Case::new("matrix::steps", &[RANKS], |world| of_one(world, Way::Steps)).limit(60),
    Case::new("matrix::chunks", &[RANKS], |world| of_one(world, Way::Chunks)).limit(60),
    Case::new("matrix::joined", &[RANKS], |world| of_one(world, Way::Joined)).limit(60),
    Case::new("matrix::derived_types", &[RANKS], |world| of_one(world, Way::DerivedTypes))
        .limit(60),
    Case::new("matrix::shared_source", &[RANKS], |world| of_one(world, Way::SharedSource))
        .limit(60),
    Case::new("matrix::shared", &[RANKS], |world| of_one(world, Way::Shared)).limit(60),
    Case::new("matrix::coupled_messages", &[RANKS], |world| of_two(world, Way::Messages))
        .limit(60)
        .on_one_node(),
    Case::new("matrix::coupled_steps", &[RANKS], |world| of_two(world, Way::Steps))
        .limit(60)
        .on_one_node(),
    Case::new("matrix::coupled_chunks", &[RANKS], |world| of_two(world, Way::Chunks))
        .limit(60)
        .on_one_node(),
    Case::new("matrix::coupled_joined", &[RANKS], |world| of_two(world, Way::Joined))
        .limit(60)
        .on_one_node(),
    Case::new("matrix::coupled_derived_types", &[RANKS], |world| of_two(world, Way::DerivedTypes))
        .limit(60)
        .on_one_node(),
    Case::new("matrix::coupled_shared_source", &[RANKS], |world| of_two(world, Way::SharedSource))
        .limit(60)
        .on_one_node(),
    Case::new("matrix::coupled_shared", &[RANKS], |world| of_two(world, Way::Shared))
        .limit(60)
        .on_one_node(),
];

/// One rank of a communicator or of a coupling.
struct Program<'c, C> {
    ranks: &'c C,
    rank: usize,
}

impl<C: Transport> Actor for Program<'_, C> {
    type Ranks = C;
    type Shared<T: Element> = SharedArray<T>;

    fn ranks(&self) -> &C {
        self.ranks
    }

    fn rank(&self) -> usize {
        self.rank
    }

    fn shared<T: Element>(&self, bound: &Bound<T, 2>, side: Side) -> Result<SharedArray<T>, Error> {
        bound.shared_array(side)
    }
}

/// Ranks go through the cells together, also past those that go wrong.
fn played<C: Transport>(actor: &Program<'_, C>, world: World, way: Way) -> Outcome {
    let cells: Vec<_> = playable(world).filter(|cell| cell.way == way).collect();
    assert!(cells.len() > 30, "only {} cells", cells.len());
    let wrong: Vec<String> = cells
        .into_iter()
        .filter_map(|cell| play(cell, actor).err().map(|error| format!("{}: {error}", cell.name())))
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn of_one(world: &SimpleCommunicator, way: Way) -> Outcome {
    let place = if nodes(world) == 1 { World::OneNode } else { World::SeveralNodes };
    played(&Program { ranks: world, rank: world.rank() as usize }, place, way)
}

/// The first half of the ranks are the producer, the second the consumer.
fn of_two(world: &SimpleCommunicator, way: Way) -> Outcome {
    let is_consumer = world.rank() as usize >= RANKS / 2;
    let role = if is_consumer { Side::Destination } else { Side::Source };
    let programs = Programs::numbered(world, usize::from(is_consumer))?;
    let coupling: Coupling = programs.couple(role, usize::from(!is_consumer))?;
    assert_eq!((coupling.producers(), coupling.rank()), (RANKS / 2, world.rank() as usize));
    played(&Program { rank: coupling.rank(), ranks: &coupling }, World::Coupling, way)
}
