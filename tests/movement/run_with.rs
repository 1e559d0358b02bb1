//! Moves with a function of elements, by every way and schedule, also if the function panics.

use num_complex::Complex;
use proptest::prelude::*;
use redist::exec::{Binder, Calls, conjugated, converted, scale_add};
use redist::threads::{self, Rank};
use redist::transport::Route;
use redist::{Bound, Element, Error, Redistribution, Side, TypedPlan};
use redist_testing::array::messages;
use redist_testing::strategies::{Case, cases, one_in};
use std::panic::{AssertUnwindSafe, catch_unwind};

type Tag = [u32; 2];

/// The function's elements for each place of a destination, by rank.
type Given = Vec<Vec<Vec<Tag>>>;

fn expected<const D: usize>(case: &Case<D>) -> Given {
    let plan = case.plan();
    let len = |rank| plan.descriptor(Side::Destination).local_len(rank);
    let mut arrays: Given = (0..plan.ranks()).map(|rank| vec![Vec::new(); len(rank)]).collect();
    for ((p, q), message) in messages(case.extents, &case.from, &case.to) {
        for (source, destination) in message {
            arrays[q][destination].push([p as u32, source as u32]);
        }
    }
    arrays
}

fn tags<const D: usize>(bound: &Bound<Tag, D>) -> Vec<Tag> {
    let rank = bound.rank() as u32;
    (0..bound.local_len(Side::Source)).map(|offset| [rank, offset as u32]).collect()
}

type Bind<'a, T, const D: usize> = Binder<'a, TypedPlan<T, D>, D>;

/// Returns the function's arguments by `run_with` on all ranks, started, and on every other rank.
fn given<const D: usize>(
    case: &Case<D>,
    binder: impl Fn(&TypedPlan<Tag, D>) -> Bind<'_, Tag, D> + Sync,
) -> [Given; 3] {
    let plan = TypedPlan::<Tag, D>::from(case.plan());
    let by_rank = threads::run(case.plan().ranks(), |rank| {
        let mut bound = binder(&plan).bind(rank)?;
        let (source, len) = (tags(&bound), bound.local_len(Side::Destination));
        let mut lists = [(); 3].map(|()| vec![Vec::new(); len]);
        let push = |moved, kept: &mut Vec<Tag>| kept.push(moved);
        bound.run_with(&source, &mut lists[0], push)?;
        bound.start_with(&source, &mut lists[1])?.finish_with(push)?;
        if rank.rank().is_multiple_of(2) {
            bound.run_with(&source, &mut lists[2], push)?;
        } else {
            let mut plain = vec![[u32::MAX; 2]; len];
            bound.run(&source, &mut plain)?;
            let moved = |tag: &Tag| *tag != [u32::MAX; 2];
            for (tag, list) in plain.into_iter().zip(&mut lists[2]).filter(|(tag, _)| moved(tag)) {
                list.push(tag);
            }
        }
        Ok::<_, Error>(lists)
    });
    let by_rank = by_rank.unwrap_or_else(|failure| panic!("{case:?}: {failure}"));
    [0, 1, 2].map(|way| by_rank.iter().map(|lists| lists[way].clone()).collect())
}

fn every_element_is_given_once<const D: usize>(case: &Case<D>) -> Result<(), TestCaseError> {
    let expected = expected(case);
    for found in given(case, |plan| plan.binder()) {
        prop_assert_eq!(&found, &expected);
    }
    for found in given(case, |plan| plan.binder().route(Route::Messages)) {
        prop_assert_eq!(&found, &expected);
    }
    Ok(())
}

proptest! {
    #![proptest_config(one_in(8))]

    #[test]
    fn lines(case in cases::<1>()) {
        every_element_is_given_once(&case)?;
    }

    #[test]
    fn planes(case in cases::<2>()) {
        every_element_is_given_once(&case)?;
    }

    #[test]
    fn cubes(case in cases::<3>()) {
        every_element_is_given_once(&case)?;
    }
}

#[test]
fn runs_of_every_sort() {
    for (from, to) in [
        ("(cyclic(1), *) onto 3", "(cyclic(40), *) onto 2"),
        ("(*, cyclic(40)) onto 2", "(*, cyclic(1)) onto 3"),
        ("(*, cyclic(1)) onto 3", "(*, cyclic(35)) onto 2"),
        ("(*, cyclic(7)) onto 3", "(*, cyclic(5)) onto 4 storage fortran"),
        ("(block, *) onto 3", "(*, block) onto 3 storage fortran axes (1, 0)"),
    ] {
        let plan = redist::Plan::parse([70, 500], from, to).unwrap();
        let case = Case {
            extents: [70, 500],
            from: *plan.descriptor(Side::Source).layout(),
            to: *plan.descriptor(Side::Destination).layout(),
        };
        every_element_is_given_once(&case).unwrap();
    }
}

/// Moves between three ranks; `value` is of each global index, `kept` is the old element.
fn moved<T: Element, U: Copy + Send + Sync>(
    plan: &TypedPlan<T, 2>,
    (value, kept): (impl Fn([usize; 2]) -> T + Sync, U),
    function: impl Fn(T, &mut U) + Sync,
    check: impl Fn([usize; 2], U) + Sync,
) {
    let on_rank = |rank: &Rank| {
        let mut bound = plan.bind(rank)?;
        let source: Vec<T> = bound.global_indices(Side::Source).map(&value).collect();
        let mut destination = vec![kept; bound.local_len(Side::Destination)];
        bound.run_with(&source, &mut destination, &function)?;
        bound.global_indices(Side::Destination).zip(destination).for_each(|(at, to)| check(at, to));
        Ok::<_, Error>(())
    };
    threads::run(3, on_rank).unwrap();
}

fn plane<T: Element>(to: &str) -> TypedPlan<T, 2> {
    TypedPlan::parse([13, 17], "(cyclic(2), *) onto 3", to).unwrap()
}

// feature: α A + β B, conjugates = `Bound::run_with`, `scale_add`, `conjugated`
#[test]
fn numbers_are_scaled_and_added() {
    let value = |[row, column]: [usize; 2]| (100 * row + column) as i64;
    let plan = plane("(*, cyclic(3)) onto 3");
    let check = |at, found| assert_eq!(found, 3 * value(at) - 14);
    moved(&plan, (value, 7), scale_add(3, -2), check);
    let plan = plane("(*, cyclic(3)) onto 3");
    let real = |at| value(at) as f64;
    moved(&plan, (real, 0.5), scale_add(0.5, 4.0), |at, found| {
        assert_eq!(found, 0.5 * real(at) + 2.0);
    });
    // An operand multiplied by zero is not read.
    moved(&plan, (real, f64::NAN), scale_add(2.0, 0.0), |at, found| {
        assert_eq!(found, 2.0 * real(at));
    });
    moved(&plan, (|_| f64::NAN, 4.0), scale_add(0.0, 2.0), |_, found| assert_eq!(found, 8.0));
}

// feature: conversion, functions of elements = `Bound::run_with`, any function
#[test]
fn numbers_are_converted() {
    let value = |[row, column]: [usize; 2]| (row as f32) + (column as f32) / 32.0;
    let plan = plane("(*, block) onto 3 storage fortran");
    let check = |at, found| assert_eq!(found, f64::from(value(at)));
    moved(&plan, (value, 0.0), converted(), check);
    moved(&plan, (value, 1.0_f64), scale_add(2.0, 1.0), |at, found| {
        assert_eq!(found, 2.0 * f64::from(value(at)) + 1.0);
    });
    // To fewer bits, by a function with explicit rounding.
    let plan = plane("(*, block) onto 3");
    let value = |[row, column]: [usize; 2]| (row * 17 + column) as f64 / 3.0;
    let check = |at, found| assert_eq!(found, value(at) as f32);
    moved(&plan, (value, 0.0_f32), |moved, kept| *kept = moved as f32, check);
    let whole = |moved: f64, kept: &mut u8| *kept = moved.round() as u8;
    let check = |at, found| assert_eq!(found, value(at).round() as u8);
    moved(&plan, (value, 0_u8), whole, check);
}

/// `alpha * conjugate(transpose(A)) + beta * B`.
#[test]
fn complex_numbers_are_conjugated_and_transposed() {
    let value = |[row, column]: [usize; 2]| Complex::new(row as f32, column as f32);
    let plan = plane("(cyclic(3), *) onto 3 storage fortran axes (1, 0)");
    let (alpha, beta) = (Complex::new(0.0, 2.0), Complex::new(3.0, 0.0));
    let kept = Complex::new(1.0, -1.0);
    let function = |moved, kept: &mut _| conjugated(scale_add(alpha, beta))(moved, kept);
    moved(&plan, (value, kept), function, |[column, row], found| {
        assert_eq!(found, alpha * value([row, column]).conj() + beta * kept);
    });
}

#[test]
fn wrong_lengths_reach_all_ranks() {
    let plan = plane::<u32>("(*, block) onto 3");
    threads::run(3, |rank| {
        let mut bound = plan.bind(rank)?;
        let source = vec![1; bound.local_len(Side::Source)];
        let mut sums = vec![5; bound.local_len(Side::Destination)];
        let len = sums.len();
        let add = |moved, sum: &mut u32| *sum += moved;
        for starts in [false, true] {
            let less = usize::from(rank.rank() == 1);
            let to = &mut sums[..len - less];
            let told = match starts {
                false => bound.run_with(&source, to, add),
                true => bound.start_with(&source, to).and_then(|started| started.finish_with(add)),
            };
            match rank.rank() {
                1 => assert!(matches!(told, Err(Error::LocalLength { rank: 1, .. })), "{told:?}"),
                _ => assert!(matches!(told, Err(Error::PeerFailed { rank: 1, .. })), "{told:?}"),
            }
        }
        assert!(sums.iter().all(|sum| *sum == 5), "nothing was added");
        bound.run_with(&source, &mut sums, add)?;
        assert!(sums.iter().all(|sum| *sum == 6));
        Ok::<_, Error>(())
    })
    .unwrap();
}

/// Sources may have gaps, and other ranks may have functions.
#[test]
fn nothing_is_packed_between_threads() {
    let plan = plane::<u32>("(*, block) onto 3");
    for padded in [false, true] {
        threads::run(3, |rank| {
            let binder = plan.binder();
            let mut bound = match padded && rank.rank() == 1 {
                true => binder.leading_dimension(Side::Source, 20).bind(rank)?,
                false => binder.bind(rank)?,
            };
            let source = vec![1; bound.local_len(Side::Source)];
            let mut sums = vec![5; bound.local_len(Side::Destination)];
            bound.run_with(&source, &mut sums, |moved, sum| *sum += moved)?;
            match rank.rank() {
                2 => bound.run(&source, &mut sums)?,
                _ => bound.run_with(&source, &mut sums, |moved, sum| *sum -= 5 * moved)?,
            }
            assert!(sums.iter().all(|sum| *sum == 1));
            assert_eq!(bound.calls(), Calls { copied: 2, ..Calls::default() });
            Ok::<_, Error>(())
        })
        .unwrap();
    }
}

#[test]
fn a_move_that_is_dropped_leaves_the_destination() {
    let plan = plane::<u32>("(*, block) onto 3");
    threads::run(3, |rank| {
        let mut bound = plan.bind(rank)?;
        let source = vec![1; bound.local_len(Side::Source)];
        let mut sums = vec![5; bound.local_len(Side::Destination)];
        let _ = bound.start_with(&source, &mut sums)?;
        assert!(sums.iter().all(|sum| *sum == 5));
        let _ = bound.start_with(&source, &mut sums)?;
        bound.run_with(&source, &mut sums, |moved, sum| *sum += moved)?;
        assert!(sums.iter().all(|sum| *sum == 6));
        Ok::<_, Error>(())
    })
    .unwrap();
}

/// The panicking rank catches it. The other ranks have their elements, and the next move works.
#[test]
fn a_function_that_panics_ends_one_move_of_one_rank() {
    let plan = TypedPlan::<u32, 1>::parse([3000], "cyclic(10) onto 3", "cyclic(2) onto 3").unwrap();
    let binders: [fn(Bind<'_, u32, 1>) -> Bind<'_, u32, 1>; 2] =
        [|binder| binder, |binder| binder.route(Route::Messages)];
    for binder in binders {
        let others = std::sync::Barrier::new(3);
        threads::run(3, |rank| {
            let mut bound = binder(plan.binder()).bind(rank)?;
            let source = vec![1; bound.local_len(Side::Source)];
            let mut sums = vec![0; bound.local_len(Side::Destination)];
            let mut calls = 0;
            let mut run = || {
                bound.run_with(&source, &mut sums, |moved, sum| {
                    calls += 1;
                    assert!(rank.rank() != 1 || calls < 500, "enough");
                    *sum += moved;
                })
            };
            let went = catch_unwind(AssertUnwindSafe(&mut run));
            // The other ranks do not wait for its next step.
            others.wait();
            match rank.rank() {
                1 => assert!(went.is_err()),
                _ => assert_eq!(went.expect("no panic here"), Ok(())),
            }
            let whole = if rank.rank() == 1 { 499 } else { 1000 };
            assert_eq!(sums.iter().sum::<u32>(), whole);
            bound.run_with(&source, &mut sums, |moved, sum| *sum = 2 * moved)?;
            assert!(sums.iter().all(|sum| *sum == 2));
            Ok::<_, Error>(())
        })
        .unwrap();
    }
}

#[test]
fn a_function_whose_panic_is_not_caught_ends_its_rank() {
    let plan = plane::<u32>("(*, block) onto 3");
    let went = threads::run(3, |rank| {
        let mut bound = plan.bind(rank)?;
        let source = vec![1; bound.local_len(Side::Source)];
        let mut sums = vec![0_u32; bound.local_len(Side::Destination)];
        let panics = rank.rank() == 1;
        bound.run_with(&source, &mut sums, |moved, sum| {
            assert!(!panics, "enough");
            *sum += moved;
        })?;
        let next = bound.run_with(&source, &mut sums, |_, _| ());
        assert!(matches!(next, Err(Error::RankEnded { rank: 1, .. })), "{next:?}");
        next
    });
    let told = went.expect_err("rank 1 panics").to_string();
    assert!(told.contains("rank 1 panicked: enough"), "{told}");
}
