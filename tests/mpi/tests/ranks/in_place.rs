//! One array for both sides of a move.

use crate::FROM_THREE;
use crate::arrays::{Parts, case, plan};
use redist::Redistribution;
use redist::mpi::Communicator;
use redist_mpi_tests::{Case, Outcome};

pub const CASES: &[Case] = &[
    Case::new("in_place::more_and_fewer_ranks", &[4, 6], more_and_fewer_ranks),
    Case::new("in_place::among_ranks_with_two_arrays", FROM_THREE, among_others),
    Case::new("in_place::wrong_length", FROM_THREE, wrong_length).limit(30),
];

fn more_and_fewer_ranks(world: &Communicator) -> Outcome {
    for (from, to) in [
        ("(cyclic(3), *) onto 4", "(*, cyclic(5)) onto 2 storage fortran"),
        ("(*, block) onto 2 ranks 2..4", "(cyclic(2), cyclic(3)) onto (2, 2)"),
    ] {
        let case = case([90, 70], from, to);
        let parts = Parts::<u64>::new(&case, world.rank());
        let mut bound = plan(&case).bind(world)?;
        for round in 0..3 {
            let mut array = parts.source(round);
            bound.run_in_place(&mut array)?;
            parts.same(&array, round)?;
            assert_eq!(array.len(), parts.untouched().len());
        }
    }
    Ok(())
}

fn among_others(world: &Communicator) -> Outcome {
    let case = case([12_000], "cyclic(7) onto 3", "block onto 3 first 1");
    let parts = Parts::<u64>::new(&case, world.rank());
    let mut bound = plan(&case).bind(world)?;
    for round in 0..6 {
        if world.rank() as u64 % 3 == round % 3 {
            parts.moved(&mut bound, round)?;
        } else {
            let mut array = parts.source(round);
            bound.run_in_place(&mut array)?;
            parts.same(&array, round)?;
        }
    }
    Ok(())
}

fn wrong_length(world: &Communicator) -> Outcome {
    let case = case([300], "cyclic(7) onto 3", "block onto 3 first 1");
    let parts = Parts::<u64>::new(&case, world.rank());
    let mut bound = plan(&case).bind(world)?;
    let mut array = parts.source(0);
    if world.rank() == 1 {
        array.push(0);
    }
    let before = array.clone();
    let told = bound.run_in_place(&mut array).unwrap_err();
    let told = told.to_string();
    assert!(told.contains("rank 1: the local source array must hold"), "{told}");
    assert_eq!(array, before, "nothing is lost");
    parts.moved(&mut bound, 1)
}
