//! Several arrays in one exchange.

use crate::EVERY;
use crate::arrays::{Parts, case, plan};
use redist::exec::{Batch, BatchArrays, BoundWithCopies, PlanWithCopies, Reduction, sum};
use redist::layout::Layout;
use redist::mpi::Communicator;
use redist::{Side, WithCopies, redistribute};
use redist_mpi_tests::{Case, Outcome};

pub const CASES: &[Case] = &[
    Case::new("batch::arrays_move_together", &[4, 6], arrays_move_together),
    Case::new("batch::wrong_arrays", &[4], wrong_arrays).limit(30),
    Case::new("batch::copies_on_either_side", &[4, 6], copies_on_either_side),
    Case::new("batch::copies_of_an_item", &[4, 6], copies_of_an_item),
    Case::new("batch::sums", &[2, 4, 6], sums),
    Case::new("batch::of_nothing", EVERY, of_nothing),
];

const ROWS: &str = "(cyclic(3), *) onto 4";
const TILES: &str = "(cyclic(2), cyclic(5)) onto (2, 2) storage fortran";

fn arrays_move_together(world: &Communicator) -> Outcome {
    let rank = world.rank();
    let (first, second, third) = (
        case([90, 70], ROWS, TILES),
        case([12_000], "cyclic(7) onto 3", "block onto 3 first 1"),
        case([30, 11], TILES, "(*, *) ranks 1..2"),
    );
    let mut batch = Batch::new();
    batch.add(&plan::<u64, 2>(&first));
    batch.add(&plan::<[f32; 3], 1>(&second));
    batch.add(&plan::<u8, 2>(&third));
    let mut bound = batch.bind(world)?;
    let (a, b, c) = (
        Parts::<u64>::new(&first, rank),
        Parts::<[f32; 3]>::new(&second, rank),
        Parts::<u8>::new(&third, rank),
    );
    for round in 0..4 {
        let (mut x, mut y, mut z) = (a.untouched(), b.untouched(), c.untouched());
        bound.run(&mut [
            BatchArrays::new(&a.source(round), &mut x),
            BatchArrays::new(&b.source(round), &mut y),
            BatchArrays::new(&c.source(round), &mut z),
        ])?;
        a.same(&x, round)?;
        b.same(&y, round)?;
        c.same(&z, round)?;
    }
    Ok(())
}

/// No message of the move that fails is left to the next communicator, which may get the number of
/// the freed communicator.
fn wrong_arrays(world: &Communicator) -> Outcome {
    for _ in 0..4 {
        wrong_array_of_rank_2(&world.duplicate()?)?;
        copies_on_either_side(&world.duplicate()?)?;
    }
    Ok(())
}

fn wrong_array_of_rank_2(world: &Communicator) -> Outcome {
    let case = case([90, 70], ROWS, TILES);
    let parts = Parts::<u64>::new(&case, world.rank());
    let mut batch = Batch::new();
    batch.add(&plan::<u64, 2>(&case));
    let mut bound = batch.bind(world)?;
    let (source, mut destination) = (parts.source(0), parts.untouched());
    let wrong = [0.5_f64];
    let before = if world.rank() == 2 {
        BatchArrays::new(&wrong, &mut [])
    } else {
        BatchArrays::new(&source, &mut destination)
    };
    let told = bound.run(&mut [before]).unwrap_err().to_string();
    let words = match world.rank() {
        2 => "rank 2: array 0 of the batch: holds elements of type u64, found f64",
        _ => "rank 2: arrays of a batch are not those that its plans are for",
    };
    assert!(told.contains(words), "{told}");
    assert_eq!(destination, parts.untouched());
    bound.run(&mut [BatchArrays::new(&source, &mut destination)])?;
    parts.same(&destination, 0)
}

/// Two copies in blocks, to the whole array on every rank of four.
fn copies_on_either_side(world: &Communicator) -> Outcome {
    let layout = |text: &str| text.parse::<Layout<1>>().expect("the notation is right");
    let (from, to) = (layout("block onto 2").copies(2), layout("*").copies(4));
    let with_copies = PlanWithCopies::<u64, 1>::new([600], &from, &to)?;
    halves_to_wholes(world, with_copies.bind(world)?)
}

redistribute! {
    struct ToAll<const K: usize>: [u64; 600] { from: block onto 2 copies K, to: * copies 4 }
}

fn copies_of_an_item(world: &Communicator) -> Outcome {
    let bound = if world.rank().is_multiple_of(2) {
        ToAll::<2>::new().bind(world)?
    } else {
        PlanWithCopies::parse([600], "block onto 2 copies 2", "* copies 4")?.bind(world)?
    };
    halves_to_wholes(world, bound)
}

fn halves_to_wholes(world: &Communicator, mut bound: BoundWithCopies<u64, 1>) -> Outcome {
    let half = world.rank() as u64 % 2;
    for round in 0..4 {
        let value = |index: u64| index * 7 + round;
        let before: Vec<u64> = (0..bound.local_len(Side::Source) as u64)
            .map(|element| value(300 * half + element))
            .collect();
        let mut after = vec![0; bound.local_len(Side::Destination)];
        bound.run(&before, &mut after)?;
        assert_eq!(after.len(), if world.rank() < 4 { 600 } else { 0 });
        assert!(after.iter().zip(0..).all(|(found, index)| *found == value(index)));
    }
    Ok(())
}

/// Pairs of ranks have an addend in halves, and all of them get the sum: the same bits on each.
fn sums(world: &Communicator) -> Outcome {
    let (addends, rank) = (world.size() / 2, world.rank());
    let (from, to) =
        (format!("block onto 2 copies {addends}"), format!("* copies {}", world.size()));
    let mut bound = Reduction::<f64, 1>::parse([600], &from, &to)?.bind(world)?;
    let addend = |copy: usize, place: usize| [1e16, 1.0, -1e16][(copy + place) % 3] / 3.0;
    let own = (0..bound.local_len(Side::Source)).map(|at| addend(rank / 2, rank % 2 * 300 + at));
    let (own, mut total) = (own.collect::<Vec<f64>>(), vec![f64::NAN; 600]);
    for _ in 0..3 {
        bound.run(&own, &mut total, sum)?;
        for (place, found) in total.iter().enumerate() {
            let sum = |total, copy| total + addend(copy, place);
            let expected = (1..addends).fold(addend(0, place), sum);
            assert_eq!(found.to_bits(), expected.to_bits(), "element {place}");
        }
    }
    // Rank 1 is not ready, and all ranks receive from it.
    let short = &own[usize::from(rank == 1)..];
    let told = bound.run(short, &mut total, sum).unwrap_err().to_string();
    assert!(told.contains("rank 1"), "{told}");
    Ok(bound.run(&own, &mut total, sum)?)
}

fn of_nothing(world: &Communicator) -> Outcome {
    Ok(Batch::new().bind(world)?.run(&mut [])?)
}
