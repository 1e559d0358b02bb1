//! Arrays in shared memory: moved without messages, by correct and by faulty ranks.

use crate::arrays::{Counted, Parts, case, plan};
use crate::random::each;
use crate::{EVERY, FROM_THREE};
use redist::mpi::{Communicator, SharedArray};
use redist::{Bound, Error, Redistribution, Side};
use redist_mpi_tests::{Case, Outcome, reversed, rounds};
use redist_testing::strategies;

pub const CASES: &[Case] = &[
    Case::new("shared::again_and_again", FROM_THREE, again_and_again),
    Case::new("shared::every_sort_of_layout", &[4, 6], every_sort_of_layout),
    Case::new("shared::random_planes", &[3, 4, 6], random_planes),
    Case::new("shared::arrays_are_in_memory_of_their_own", EVERY, memory_of_their_own),
    Case::new("shared::from_plan_to_plan", FROM_THREE, from_plan_to_plan),
    Case::new("shared::in_turn_with_messages", FROM_THREE, in_turn_with_messages),
    Case::new("shared::a_wrong_length_stops_all", FROM_THREE, wrong_length).limit(30),
    Case::new("shared::arrays_of_other_ranks", FROM_THREE, other_ranks).limit(30),
    Case::new("shared::parts_of_different_arrays", FROM_THREE, different_arrays).limit(30),
    Case::new("shared::arrays_are_freed", &[1, 2, 3], arrays_are_freed),
    Case::new("shared::a_panic_ends_the_job", &[3], panics)
        .fails(&["rank 1", "has had enough"])
        .limit(30),
];

fn line() -> strategies::Case<1> {
    case([1003], "cyclic(10) onto 3", "cyclic(2) onto 2 ranks 1..3")
}

fn moved<T: Counted, const D: usize>(
    parts: &Parts<T>,
    bound: &mut Bound<T, D>,
    source: &mut SharedArray<T>,
    round: u64,
) -> Outcome {
    source.copy_from_slice(&parts.source(round));
    let mut destination = parts.untouched();
    bound.run(source, &mut destination)?;
    // All ranks have read it: it may be written to.
    source.fill(T::counted(99));
    parts.same(&destination, round)
}

fn again_and_again(world: &Communicator) -> Outcome {
    let parts = Parts::<u64>::new(&line(), world.rank());
    let mut bound = plan(&line()).bind(world)?;
    let mut source = bound.shared_array(Side::Source)?;
    assert!(source.iter().all(|value| *value == 0));
    (0..rounds(world, 300)).try_for_each(|round| moved(&parts, &mut bound, &mut source, round))
}

fn layout<T: Counted, const D: usize>(
    world: &Communicator,
    extents: [usize; D],
    (from, to): (&str, &str),
) -> Outcome {
    let case = case(extents, from, to);
    let parts = Parts::<T>::new(&case, world.rank());
    let mut bound = plan(&case).bind(world)?;
    let mut source = bound.shared_array(Side::Source)?;
    (0..3).try_for_each(|round| moved(&parts, &mut bound, &mut source, round))
}

fn every_sort_of_layout(world: &Communicator) -> Outcome {
    layout::<u8, 1>(world, [10_007], ("block onto 4", "cyclic onto 3"))?;
    layout::<u128, 1>(world, [1_007], ("cyclic onto 3", "block onto 4"))?;
    layout::<f64, 1>(world, [4], ("cyclic onto 4", "block onto 1"))?;
    layout::<f64, 1>(world, [0], ("cyclic onto 4", "block onto 3"))?;
    let tiles = "(cyclic(16), cyclic(6)) onto (2, 2) storage fortran";
    layout::<f64, 2>(world, [100, 90], (tiles, "(cyclic(5), block) onto (1, 4) transposed"))?;
    let sections = (
        "(cyclic(7), *) onto 4 of [90, 60] at [13, 5]",
        "(*, block) onto 3 ranks 1..4 of [70, 50] at [1, 9]",
    );
    layout::<[f32; 3], 2>(world, [60, 40], sections)?;
    layout::<u64, 3>(
        world,
        [9, 14, 10],
        ("(block, *, cyclic) onto (2, 2)", "(*, cyclic(3), *) onto 3 axes (2, 1, 0)"),
    )
}

fn random_planes(world: &Communicator) -> Outcome {
    each(world, |case: &strategies::Case<2>| {
        let parts = Parts::<f64>::new(case, world.rank());
        let mut bound = plan(case).bind(world)?;
        let mut source = bound.shared_array(Side::Source)?;
        moved(&parts, &mut bound, &mut source, 1)
    })
}

fn memory_of_their_own(world: &Communicator) -> Outcome {
    let mut array = SharedArray::<u64>::new(world, 5 + world.rank())?;
    array.fill(world.rank() as u64);
    world.barrier()?;
    assert_eq!(*array, *vec![world.rank() as u64; 5 + world.rank()]);
    assert!(array.as_ptr().is_aligned());
    Ok(())
}

fn from_plan_to_plan(world: &Communicator) -> Outcome {
    let there = case([1003], "cyclic(10) onto 3", "block onto 3");
    let back = case([1003], "block onto 3", "cyclic(10) onto 3");
    let parts = Parts::<u64>::new(&there, world.rank());
    let (mut first, mut second) =
        (plan::<u64, 1>(&there).bind(world)?, plan::<u64, 1>(&back).bind(world)?);
    let (mut one, mut other) =
        (first.shared_array(Side::Source)?, second.shared_array(Side::Source)?);
    for round in 0..20 {
        one.copy_from_slice(&parts.source(round));
        first.run(&one, &mut other)?;
        parts.same(&other, round)?;
        one.fill(0);
        second.run(&other, &mut one)?;
        assert_eq!(*one, *parts.source(round));
    }
    Ok(())
}

fn in_turn_with_messages(world: &Communicator) -> Outcome {
    let parts = Parts::<f64>::new(&line(), world.rank());
    let mut bound = plan(&line()).bind(world)?;
    let mut source = bound.shared_array(Side::Source)?;
    for round in 0..20 {
        moved(&parts, &mut bound, &mut source, round)?;
        parts.moved(&mut bound, round + 100)?;
        // Forgotten on one rank only: the other ranks finish it.
        let mut destination = parts.untouched();
        let started = bound.start(&parts.source(round), &mut destination)?;
        if world.rank() != 1 {
            started.finish()?;
        }
    }
    moved(&parts, &mut bound, &mut source, 7)
}

fn wrong_length(world: &Communicator) -> Outcome {
    let parts = Parts::<u64>::new(&line(), world.rank());
    let mut bound = plan(&line()).bind(world)?;
    let is_wrong = world.rank() == 1;
    let short =
        SharedArray::<u64>::new(world, bound.local_len(Side::Source) - usize::from(is_wrong))?;
    let mut destination = parts.untouched();
    let rank = world.rank();
    match bound.run(&short, &mut destination) {
        Err(Error::LocalLength { rank: 1, side: Side::Source, .. }) if is_wrong => {}
        Err(Error::PeerFailed { rank: 1, .. }) if !is_wrong => {}
        // Its one receiver is rank 2.
        Ok(()) if rank != 2 => {}
        other => return Err(format!("rank {rank}: {other:?}").into()),
    }
    assert_eq!(destination, parts.untouched(), "nothing may move");
    let mut right = bound.shared_array(Side::Source)?;
    moved(&parts, &mut bound, &mut right, 3)
}

fn other_ranks(world: &Communicator) -> Outcome {
    let parts = Parts::<u64>::new(&line(), world.rank());
    let mut bound = plan(&line()).bind(world)?;
    let foreign = SharedArray::<u64>::new(&reversed(world)?, bound.local_len(Side::Source))?;
    let mut destination = parts.untouched();
    let error = bound.run(&foreign, &mut destination).unwrap_err();
    assert!(matches!(error, Error::ForeignArray { side: Side::Source, .. }), "{error}");
    assert_eq!(destination, parts.untouched(), "nothing may move");
    // One of the same ranks, but of another communicator, fits.
    let again = world.duplicate()?;
    let mut source = SharedArray::new(&again, bound.local_len(Side::Source))?;
    moved(&parts, &mut bound, &mut source, 3)
}

fn different_arrays(world: &Communicator) -> Outcome {
    let parts = Parts::<u64>::new(&line(), world.rank());
    let mut bound = plan(&line()).bind(world)?;
    let (mut first, mut second) =
        (bound.shared_array(Side::Source)?, bound.shared_array(Side::Source)?);
    moved(&parts, &mut bound, if world.rank() == 2 { &mut second } else { &mut first }, 2)?;
    moved(&parts, &mut bound, &mut first, 3)
}

fn arrays_are_freed(world: &Communicator) -> Outcome {
    let size = world.size();
    let line = case([1003], &format!("cyclic(10) onto {size}"), &format!("cyclic(2) onto {size}"));
    let parts = Parts::<u64>::new(&line, world.rank());
    let mut bound = plan(&line).bind(world)?;
    (0..rounds(world, 1000)).try_for_each(|round| {
        let mut source = bound.shared_array(Side::Source)?;
        moved(&parts, &mut bound, &mut source, round)
    })
}

fn panics(world: &Communicator) -> Outcome {
    let mut bound = plan::<u64, 1>(&line()).bind(world)?;
    let source = bound.shared_array(Side::Source)?;
    assert!(world.rank() != 1, "rank 1 has had enough");
    let mut destination = vec![0; bound.local_len(Side::Destination)];
    Ok(bound.run(&source, &mut destination)?)
}
