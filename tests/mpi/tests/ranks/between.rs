//! Moves between two arrays in shared memory, in which ranks write to each other's.

use crate::FROM_THREE;
use crate::arrays::{Counted, Parts, case, plan};
use crate::random::{drawn, each};
use redist::mpi::{Communicator, SharedArray};
use redist::plan::schedule::Method;
use redist::{Bound, Element, Error, Redistribution, Side};
use redist_mpi_tests::{Case, Outcome, reversed, rounds};
use redist_testing::strategies;
use std::panic::{self, AssertUnwindSafe};
use std::thread;
use std::time::Duration;

pub const CASES: &[Case] = &[
    Case::new("between::again_and_again", FEW, again_and_again),
    Case::new("between::every_sort_of_layout", &[4], every_sort_of_layout),
    Case::new("between::every_sort_of_element", &[3], every_sort_of_element).limit(300),
    Case::new("between::random_planes", &[1, 3, 4, 6], random_planes),
    Case::new("between::there_and_back", FEW, there_and_back),
    Case::new("between::beside_other_destinations", FROM_THREE, beside_other_destinations)
        .limit(60),
    Case::new("between::in_turn_with_others", FEW, in_turn_with_others),
    Case::new("between::a_wrong_length_stops_all", FEW, wrong_length).limit(30),
    Case::new("between::arrays_of_other_ranks", FEW, other_ranks).limit(30),
    Case::new("between::arrays_of_other_ranks_that_look_alike", FROM_THREE, look_alike).limit(30),
    Case::new("between::parts_of_different_arrays", FEW, different_arrays).limit(30),
    Case::new("between::source_and_destination_exchanged", FEW, exchanged).limit(30),
    Case::new("between::a_panic_keeps_arrays_until_no_rank_uses_them", &[3], panics)
        .on_one_node()
        .limit(30),
];

/// Elements long and numerous enough that every rank has tiles of its own.
type Long = [u64; 9];
const LONG: usize = 30_003;

const FEW: &[usize] = &[3, 4, 6];

fn line(extent: usize) -> strategies::Case<1> {
    case([extent], "cyclic(10) onto 3", "cyclic(2) onto 2 ranks 1..3")
}

struct Move<T: Counted, const D: usize> {
    parts: Parts<T>,
    bound: Bound<T, D>,
    from: SharedArray<T>,
    to: SharedArray<T>,
}

impl<T: Counted, const D: usize> Move<T, D> {
    fn new(case: &strategies::Case<D>, world: &Communicator) -> Result<Self, Error> {
        let bound = plan::<T, D>(case).bind(world)?;
        let (from, to) =
            (bound.shared_array(Side::Source)?, bound.shared_array(Side::Destination)?);
        Ok(Self { parts: Parts::new(case, world.rank()), bound, from, to })
    }

    fn fill(&mut self, round: u64) {
        self.from.copy_from_slice(&self.parts.source(round));
        self.to.copy_from_slice(&self.parts.untouched());
    }

    fn once(&mut self, round: u64) -> Outcome {
        self.fill(round);
        self.bound.run(&self.from, &mut self.to)?;
        // All ranks have finished with both: they may be written to.
        self.from.fill(T::counted(99));
        self.parts.same(&self.to, round)
    }

    fn untouched(&self) {
        assert_eq!(*self.to, *self.parts.untouched(), "nothing may move");
    }
}

fn again_and_again(world: &Communicator) -> Outcome {
    let mut short = Move::<u64, _>::new(&line(1003), world)?;
    assert!(short.to.iter().all(|value| *value == 0));
    (0..rounds(world, 100)).try_for_each(|round| short.once(round))?;
    let mut long = Move::<Long, _>::new(&line(LONG), world)?;
    (0..20).try_for_each(|round| long.once(round))
}

fn layout<T: Counted, const D: usize>(
    world: &Communicator,
    extents: [usize; D],
    (from, to): (&str, &str),
) -> Outcome {
    let mut arrays = Move::<T, _>::new(&case(extents, from, to), world)?;
    (0..3).try_for_each(|round| {
        arrays.once(round).map_err(|error| format!("{from} -> {to}: {error}").into())
    })
}

fn every_sort_of_layout(world: &Communicator) -> Outcome {
    layout::<u128, 1>(world, [1_007], ("cyclic onto 3", "block onto 4"))?;
    layout::<f64, 1>(world, [4], ("cyclic onto 4", "block onto 1"))?;
    layout::<f64, 1>(world, [0], ("cyclic onto 4", "block onto 3"))?;
    layout::<f64, 1>(world, [270_007], ("block onto 4", "cyclic onto 3"))?;
    layout::<f64, 1>(world, [270_007], ("cyclic(200) onto 3", "cyclic(2) onto 4 first 2"))?;
    layout::<u128, 1>(
        world,
        [140_003],
        ("gen_block([100003, 0, 40000]) onto 3", "cyclic(3) onto 4"),
    )?;
    let tiles = "(cyclic(16), cyclic(6)) onto (2, 2) storage fortran";
    layout::<[u64; 9], 2>(world, [200, 181], (tiles, "(cyclic(5), block) onto (1, 4) transposed"))?;
    let sections = (
        "(cyclic(7), *) onto 4 of [290, 170] at [13, 5]",
        "(*, block) onto 3 ranks 1..4 of [270, 250] at [1, 9]",
    );
    layout::<[u64; 9], 2>(world, [260, 140], sections)?;
    layout::<[f32; 3], 2>(
        world,
        [60, 40],
        ("(cyclic(7), *) onto 4 of [90, 60] at [13, 5]", "(*, block) onto 3"),
    )?;
    let space = ("(block, *, cyclic) onto (2, 2)", "(*, cyclic(3), *) onto 3 axes (2, 1, 0)");
    layout::<[u64; 9], 3>(world, [29, 34, 36], space)
}

fn every_sort_of_element(world: &Communicator) -> Outcome {
    const LAYOUTS: (&str, &str) = ("cyclic(10) onto 3", "cyclic(2) onto 3");
    // Tiles have that many bytes for any element; two ranks need fewer of them.
    let elements: [fn(&Communicator) -> Outcome; 6] = [
        |world| layout::<u8, 1>(world, [1_100_003], ("cyclic(10) onto 2", "cyclic(2) onto 2")),
        |world| layout::<u16, 1>(world, [800_003], LAYOUTS),
        |world| layout::<u32, 1>(world, [400_003], LAYOUTS),
        |world| layout::<u64, 1>(world, [200_003], LAYOUTS),
        |world| layout::<u128, 1>(world, [100_003], LAYOUTS),
        |world| layout::<[u64; 9], 1>(world, [30_003], LAYOUTS),
    ];
    drawn(elements, 2).into_iter().try_for_each(|moves| moves(world))
}

fn random_planes(world: &Communicator) -> Outcome {
    each(world, |case: &strategies::Case<2>| Move::<[u64; 9], _>::new(case, world)?.once(1))
}

fn there_and_back(world: &Communicator) -> Outcome {
    let there = case([LONG], "cyclic(10) onto 3", "block onto 3");
    let back = case([LONG], "block onto 3", "cyclic(10) onto 3");
    let mut arrays = Move::<Long, _>::new(&there, world)?;
    let mut second = plan::<Long, 1>(&back).bind(world)?;
    for round in 0..20 {
        arrays.once(round)?;
        second.run(&arrays.to, &mut arrays.from)?;
        assert_eq!(*arrays.from, *arrays.parts.source(round));
    }
    Ok(())
}

fn beside_other_destinations(world: &Communicator) -> Outcome {
    for extent in [1003, LONG] {
        let mut arrays = Move::<Long, _>::new(&line(extent), world)?;
        for round in 0..8 {
            if !(world.rank() as u64 + round).is_multiple_of(4) {
                arrays.once(round)?;
                continue;
            }
            arrays.fill(round);
            let mut own = arrays.parts.untouched();
            arrays.bound.run(&arrays.from, &mut own)?;
            arrays.parts.same(&own, round)?;
            arrays.untouched();
        }
    }
    Ok(())
}

fn in_turn_with_others(world: &Communicator) -> Outcome {
    let mut arrays = Move::<Long, _>::new(&line(LONG), world)?;
    for round in 0..6 {
        arrays.once(round)?;
        arrays.parts.moved(&mut arrays.bound, round + 100)?;
        let mut own = arrays.parts.untouched();
        // Forgotten on one rank only: the other ranks finish it.
        let started = arrays.bound.start(&arrays.parts.source(round), &mut own)?;
        if world.rank() != 1 {
            started.finish()?;
        }
    }
    let mut by_steps = plan(&line(LONG)).binder().method(Method::Caterpillar).bind(world)?;
    arrays.fill(7);
    by_steps.run(&arrays.from, &mut arrays.to)?;
    arrays.parts.same(&arrays.to, 7)
}

fn wrong_length(world: &Communicator) -> Outcome {
    let mut arrays = Move::<Long, _>::new(&line(LONG), world)?;
    let is_wrong = world.rank() == 1;
    let mut short = SharedArray::<Long>::new(world, arrays.to.len() - usize::from(is_wrong))?;
    arrays.fill(1);
    let rank = world.rank();
    match arrays.bound.run(&arrays.from, &mut short) {
        Err(Error::LocalLength { rank: 1, side: Side::Destination, .. }) if is_wrong => {}
        Err(Error::PeerFailed { rank: 1, .. }) if !is_wrong => {}
        // Its one receiver is rank 2.
        Ok(()) if rank != 2 => {}
        other => return Err(format!("rank {rank}: {other:?}").into()),
    }
    assert!(short.iter().all(|value| *value == Long::ZERO), "nothing may move");
    arrays.once(3)
}

fn other_ranks(world: &Communicator) -> Outcome {
    let mut arrays = Move::<Long, _>::new(&line(LONG), world)?;
    let mut foreign = SharedArray::<Long>::new(&reversed(world)?, arrays.to.len())?;
    arrays.fill(1);
    let error = arrays.bound.run(&arrays.from, &mut foreign).unwrap_err();
    assert!(matches!(error, Error::ForeignArray { side: Side::Destination, .. }), "{error}");
    assert!(foreign.iter().all(|value| *value == Long::ZERO), "nothing may move");
    // One of the same ranks, but of another communicator, fits.
    let again = world.duplicate()?;
    arrays.to = SharedArray::new(&again, arrays.to.len())?;
    arrays.once(3)
}

/// Arrays are distinct even if the ranks that number them have made equally many before.
fn look_alike(world: &Communicator) -> Outcome {
    let alone = world.split(world.rank(), 0)?;
    let turned = reversed(world)?;
    let mut bound = plan::<u64, 1>(&line(1003)).bind(world)?;
    let mut destination = vec![0; bound.local_len(Side::Destination)];
    // Rank 0 makes one array more. Then every rank makes one of each kind, numbered by rank 0 and
    // the last rank in turn.
    let _more = (world.rank() == 0).then(|| SharedArray::<u64>::new(&alone, 1));
    let known = bound.shared_array(Side::Source)?;
    let foreign = SharedArray::<u64>::new(&turned, known.len())?;
    bound.run(&known, &mut destination)?;
    let error = bound.run(&foreign, &mut destination).unwrap_err();
    assert!(matches!(error, Error::ForeignArray { side: Side::Source, .. }), "{error}");
    Ok(())
}

fn different_arrays(world: &Communicator) -> Outcome {
    let mut arrays = Move::<Long, _>::new(&line(LONG), world)?;
    let mut second = arrays.bound.shared_array(Side::Destination)?;
    arrays.fill(1);
    let to = if world.rank() == 2 { &mut second } else { &mut arrays.to };
    arrays.bound.run(&arrays.from, to)?;
    arrays.parts.same(to, 1)?;
    arrays.once(3)
}

fn exchanged(world: &Communicator) -> Outcome {
    let alike = case([LONG], "cyclic(10) onto 3", "cyclic(10) onto 3");
    let mut arrays = Move::<Long, _>::new(&alike, world)?;
    arrays.fill(1);
    let Move { bound, from, to, parts, .. } = &mut arrays;
    if world.rank() == 2 {
        to.copy_from_slice(from);
        bound.run(to, from)?;
        parts.same(from, 1)?;
    } else {
        bound.run(from, to)?;
        parts.same(to, 1)?;
    }
    arrays.once(3)
}

/// A rank that unwinds keeps its shared arrays until all ranks have finished. They learn that its
/// share is missing.
fn panics(world: &Communicator) -> Outcome {
    panic::set_hook(Box::new(|_| ()));
    let mut arrays = Move::<Long, _>::new(&line(LONG), world)?;
    let gives_up = world.rank() == 1;
    arrays.bound.watch(move |calls| {
        assert!(!gives_up || calls.shares != 1, "this rank has had enough");
        thread::sleep(Duration::from_millis(50));
    });
    arrays.fill(1);
    match panic::catch_unwind(AssertUnwindSafe(|| arrays.bound.run(&arrays.from, &mut arrays.to))) {
        Err(_) if gives_up => {}
        Ok(Err(Error::PeerFailed { rank: 1, .. })) if !gives_up => {}
        other => return Err(format!("{other:?}").into()),
    }
    assert_eq!(arrays.bound.calls().shares, 1);
    // The other ranks' elements are there, and its own are missing.
    let expected = arrays.parts.destination(1);
    let written =
        arrays.to.iter().zip(&expected).filter(|(found, expected)| found == expected).count();
    assert!(
        expected.is_empty() || (written > 0 && written < expected.len()),
        "{written} of {}",
        expected.len()
    );
    arrays.once(2)
}
