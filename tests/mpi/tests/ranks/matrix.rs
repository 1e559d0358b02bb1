//! The matrix of features over MPI, on one node, over several and between two programs: each cell
//! has the result of `docs/internals/matrix.md`.

use redist::mpi::{Communicator, Coupling, Programs, SharedArray};
use redist::{Bound, Element, Error, Side, Transport};
use redist_mpi_tests::{Body, Case, Outcome, current_case, nodes};
use redist_testing::matrix::{Actor, Cell, RANKS, World, play, playable};

pub fn cases() -> Vec<Case> {
    let of_one = playable(World::OneNode).map(|cell| case(cell, of_one));
    let of_two = playable(World::Coupling).map(|cell| case(cell, of_two).on_one_node());
    of_one.chain(of_two).collect()
}

fn case(cell: Cell, body: Body) -> Case {
    Case::new(name(cell).leak(), &[RANKS], body).of_a_table().limit(60)
}

fn name(Cell { feature, way, world, tier }: Cell) -> String {
    let table = if world == World::Coupling { "coupled" } else { "matrix" };
    format!("{table}::{way:?}::{feature:?}::{tier:?}")
}

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

fn played<C: Transport>(actor: &Program<'_, C>, world: World) -> Outcome {
    let current = current_case().unwrap_or_default();
    let cell = playable(world).find(|cell| name(*cell) == current).ok_or("no such cell")?;
    Ok(play(cell, actor)?)
}

fn of_one(world: &Communicator) -> Outcome {
    let place = if nodes(world) == 1 { World::OneNode } else { World::SeveralNodes };
    played(&Program { ranks: world, rank: world.rank() }, place)
}

fn of_two(world: &Communicator) -> Outcome {
    let is_consumer = world.rank() >= RANKS / 2;
    let role = if is_consumer { Side::Destination } else { Side::Source };
    let programs = Programs::numbered(world, usize::from(is_consumer))?;
    let coupling: Coupling = programs.couple(role, usize::from(!is_consumer))?;
    assert_eq!((coupling.producers(), coupling.rank()), (RANKS / 2, world.rank()));
    played(&Program { rank: coupling.rank(), ranks: &coupling }, World::Coupling)
}
