//! One bound plan repeatedly, several at a time, and ranks that plan at different times.

use crate::FROM_THREE;
use crate::arrays::{Parts, case, plan};
use redist::mpi::Communicator;
use redist::{Redistribution, Started, redistribute};
use redist_mpi_tests::{Case, Outcome, rounds};

pub const CASES: &[Case] = &[
    Case::new("repeated::again_and_again", FROM_THREE, again_and_again),
    Case::new("repeated::two_plans_in_turn", FROM_THREE, two_plans_in_turn),
    Case::new("repeated::two_plans_at_once", FROM_THREE, two_plans_at_once),
    Case::new("repeated::finished_in_another_order", FROM_THREE, finished_in_another_order),
    Case::new("repeated::ranks_that_mix_tiers", FROM_THREE, ranks_that_mix_tiers),
    Case::new("repeated::communicators_are_freed", &[1, 2, 3], communicators_are_freed),
];

const LINE: ([usize; 1], &str, &str) = ([1003], "cyclic(10) onto 3", "cyclic(2) onto 2 ranks 1..3");
const PLANE: ([usize; 2], &str, &str) =
    ([30, 41], "(cyclic(4), *) onto 3", "(*, block) onto 3 storage fortran");
const BLOCK: usize = 10;

redistribute! {
    struct Literal: [u64; 1003] { from: cyclic(10) onto 3, to: cyclic(2) onto 2 ranks 1..3 }
    struct Constant: [u64; 1003] { from: cyclic(BLOCK) onto 3, to: cyclic(BLOCK / 5) onto 2 ranks 1..3 }
}

fn again_and_again(world: &Communicator) -> Outcome {
    let case = case(LINE.0, LINE.1, LINE.2);
    let parts = Parts::<u64>::new(&case, world.rank());
    let mut bound = plan(&case).bind(world)?;
    (0..rounds(world, 200)).try_for_each(|round| parts.moved(&mut bound, round))
}

fn two_plans_in_turn(world: &Communicator) -> Outcome {
    let (line, plane) = (case(LINE.0, LINE.1, LINE.2), case(PLANE.0, PLANE.1, PLANE.2));
    let (lines, planes) = (Parts::new(&line, world.rank()), Parts::new(&plane, world.rank()));
    let (mut first, mut second) =
        (plan::<u64, 1>(&line).bind(world)?, plan::<f64, 2>(&plane).bind(world)?);
    (0..rounds(world, 50)).try_for_each(|round| {
        lines.moved(&mut first, round)?;
        planes.moved(&mut second, round)
    })
}

/// The same plan twice, so that every message of one move could be taken for a message of the
/// second.
fn at_once(world: &Communicator, swapped: bool) -> Outcome {
    let case = case(LINE.0, LINE.1, LINE.2);
    let parts = Parts::<u64>::new(&case, world.rank());
    let mut bound = [plan(&case).bind(world)?, plan(&case).bind(world)?];
    for round in 0..rounds(world, 50) {
        let mut found = [parts.untouched(), parts.untouched()];
        let ([one, other], [here, there]) = (&mut bound, &mut found);
        let mut started = [
            one.start(&parts.source(round), here)?,
            other.start(&parts.source(round + 100), there)?,
        ];
        if swapped {
            started.reverse();
        }
        started.into_iter().try_for_each(Started::finish)?;
        parts.same(&found[0], round)?;
        parts.same(&found[1], round + 100)?;
    }
    Ok(())
}

fn two_plans_at_once(world: &Communicator) -> Outcome {
    at_once(world, false)
}

fn finished_in_another_order(world: &Communicator) -> Outcome {
    at_once(world, world.rank() % 2 == 1)
}

fn ranks_that_mix_tiers(world: &Communicator) -> Outcome {
    let case = case(LINE.0, LINE.1, LINE.2);
    let parts = Parts::new(&case, world.rank());
    let mut bound = match world.rank() % 3 {
        0 => Literal::new().bind(world)?,
        1 => Constant::new().bind(world)?,
        _ => plan::<u64, 1>(&case).bind(world)?,
    };
    (0..20).try_for_each(|round| parts.moved(&mut bound, round))
}

/// MPICH has room for 2048 of them.
fn communicators_are_freed(world: &Communicator) -> Outcome {
    let size = world.size();
    let case = case([9], &format!("block onto {size}"), &format!("cyclic onto {size}"));
    let parts = Parts::new(&case, world.rank());
    (0..rounds(world, 3000))
        .try_for_each(|round| parts.moved(&mut plan::<u64, 1>(&case).bind(world)?, round))
}
