//! Batches move any arrays together.

use super::execution::{Tag, UNTOUCHED, expected, source_array};
use proptest::prelude::*;
use redist::exec::{Batch, BatchArrays};
use redist::{Element, Error, Plan, Side, TypedPlan, threads};
use redist_testing::array::messages;
use redist_testing::strategies::{Case, cases, one_in};

fn wide([rank, offset]: Tag) -> [u64; 3] {
    [u64::from(rank), u64::from(offset), 5]
}

fn narrow([rank, offset]: Tag) -> u8 {
    (rank.wrapping_mul(31).wrapping_add(offset) % 251) as u8
}

struct Arrays<T> {
    before: Vec<T>,
    after: Vec<T>,
    expected: Vec<T>,
}

fn arrays<T: Element, const D: usize>(
    case: &Case<D>,
    rank: usize,
    of: impl Fn(Tag) -> T,
) -> Arrays<T> {
    let plan = case.plan();
    let all = expected(&plan, &messages(case.extents, &case.from, &case.to));
    let expected: Vec<T> =
        all.get(rank).map(|tags| tags.iter().map(|tag| of(*tag)).collect()).unwrap_or_default();
    let before = if rank < plan.ranks() { source_array(&plan, rank) } else { Vec::new() };
    let after = vec![of(UNTOUCHED); expected.len()];
    Arrays { before: before.into_iter().map(of).collect(), after, expected }
}

fn plan<T: Element, const D: usize>(case: &Case<D>) -> TypedPlan<T, D> {
    TypedPlan::from(case.plan())
}

fn arrays_move_together(
    one: &Case<1>,
    two: &Case<2>,
    three: &Case<3>,
) -> Result<(), TestCaseError> {
    let plans = (one.plan(), two.plan(), three.plan());
    let ranks = plans.0.ranks().max(plans.1.ranks()).max(plans.2.ranks());
    let volume = |from: usize, to: usize| {
        let volumes =
            (plans.0.volume(from, to), plans.1.volume(from, to), plans.2.volume(from, to));
        24 * volumes.0 + volumes.1 + 8 * volumes.2
    };
    let done = threads::run(ranks, |communicator| {
        let rank = communicator.rank();
        let mut batch = Batch::new();
        batch.add(&plan::<[u64; 3], 1>(one));
        batch.add(&plan::<u8, 2>(two));
        batch.add(&plan::<Tag, 3>(three));
        let mut bound = batch.bind(communicator)?;
        for (envelopes, sends) in [(bound.outgoing(), true), (bound.incoming(), false)] {
            let between = |other| if sends { volume(rank, other) } else { volume(other, rank) };
            let found: Vec<_> =
                envelopes.iter().map(|envelope| (envelope.rank, envelope.len)).collect();
            let all = (0..ranks).map(|other| (other, between(other)));
            assert_eq!(found, all.filter(|(_, bytes)| *bytes > 0).collect::<Vec<_>>());
        }
        let (mut a, mut b, mut c) =
            (arrays(one, rank, wide), arrays(two, rank, narrow), arrays(three, rank, |tag| tag));
        for _ in 0..2 {
            bound.run(&mut [
                BatchArrays::new(&a.before, &mut a.after),
                BatchArrays::new(&b.before, &mut b.after),
                BatchArrays::new(&c.before, &mut c.after),
            ])?;
            let same = (a.after == a.expected, b.after == b.expected, c.after == c.expected);
            assert_eq!(same, (true, true, true), "rank {rank}");
            a.before.iter_mut().chain(&mut a.expected).for_each(|element| element[2] = 6);
            a.after.iter_mut().for_each(|element| element[2] = 6);
        }
        Ok::<_, Error>(())
    });
    prop_assert!(done.is_ok(), "{:?}", done.err());
    Ok(())
}

proptest! {
    #![proptest_config(one_in(4))]

    // feature: several arrays at once (Batch) = `Batch`
    #[test]
    fn of_different_types_and_dimensions(
        one in cases::<1>(), two in cases::<2>(), three in cases::<3>()
    ) {
        arrays_move_together(&one, &two, &three)?;
    }
}

fn rows() -> Plan<1> {
    Plan::parse([12], "block onto 2", "cyclic onto 3").unwrap()
}

/// Returns all ranks' errors if rank 1 passes `bad` arrays; then all move.
fn told(bad: impl Fn(&mut Vec<BatchArrays<'_>>) + Sync) -> Vec<String> {
    let told = threads::run(3, |communicator| {
        let rank = communicator.rank();
        let mut batch = Batch::new();
        batch.add(&TypedPlan::<u16, 1>::from(rows()));
        batch.add(&TypedPlan::<u32, 1>::from(rows()));
        let mut bound = batch.bind(communicator)?;
        let len = bound.local_len(0, Side::Source);
        let (first, second) = (vec![1; len], vec![2; len]);
        let (mut after, mut after_second) = ([7; 4], [7; 4]);
        let mut arrays = vec![
            BatchArrays::new::<u16>(&first, &mut after),
            BatchArrays::new::<u32>(&second, &mut after_second),
        ];
        if rank == 1 {
            bad(&mut arrays);
        }
        let told = bound.run(&mut arrays).unwrap_err().to_string();
        assert_eq!((after, after_second), ([7; 4], [7; 4]), "nothing has moved");
        bound.run(&mut [
            BatchArrays::new::<u16>(&first, &mut after),
            BatchArrays::new::<u32>(&second, &mut after_second),
        ])?;
        assert_eq!((after, after_second), ([1; 4], [2; 4]));
        Ok::<_, Error>(told)
    });
    told.unwrap()
}

#[test]
fn wrong_arrays_are_told_of_on_all_ranks() {
    for (words, told) in [
        ("rank 1: the batch has 2 arrays, found 1", told(|arrays| arrays.truncate(1))),
        (
            "rank 1: array 0 of the batch: holds elements of type u16, found u32",
            told(|arrays| arrays.reverse()),
        ),
        (
            "rank 1: array 1 of the batch: the local source array must hold 6 elements, found 0",
            told(|arrays| {
                arrays.pop();
                arrays.push(BatchArrays::new::<u32>(&[], Box::leak(Box::new([0; 4]))));
            }),
        ),
    ] {
        assert_eq!(told.len(), 3);
        told.iter().for_each(|told| assert!(told.contains(words), "{told}"));
    }
}

#[test]
fn batches_have_to_be_the_same_on_all_ranks() {
    let bound = threads::run(3, |communicator| {
        let (first, second) =
            (TypedPlan::<u32, 1>::from(rows()), TypedPlan::<f32, 1>::from(rows()));
        let mut batch = Batch::new();
        if communicator.rank() == 2 {
            batch.add(&second);
            batch.add(&first);
        } else {
            batch.add(&first);
            batch.add(&second);
        }
        Ok::<_, Error>(batch.bind(communicator).err().map(|error| error.to_string()))
    });
    for told in bound.unwrap() {
        let told = told.expect("an error on every rank");
        assert!(told.contains("f32, u32") && told.contains("u32, f32"), "{told}");
    }
}

#[test]
fn a_batch_of_nothing_moves_nothing() {
    threads::run(2, |communicator| {
        let mut bound = Batch::new().bind(communicator)?;
        assert_eq!(bound.outgoing().len(), 0);
        bound.run(&mut [])
    })
    .unwrap();
}

#[test]
fn it_says_how_many_messages_it_saves() {
    threads::run(3, |communicator| {
        let mut batch = Batch::new();
        (0..4).for_each(|_| batch.add(&TypedPlan::<u16, 1>::from(rows())));
        let text = batch.bind(communicator)?.explain();
        if communicator.rank() == 0 {
            let words =
                "rank 0: 4 arrays packed into 2 messages out, 1 message in, all at once; 8 out if";
            assert!(text.starts_with(words), "{text}");
        }
        Ok::<_, Error>(())
    })
    .unwrap();
}
