//! Arrays without dimensions, which have one element; extents of 0 and 1; grids of one rank.

use redist::exec::{Batch, BatchArrays, PlanWithCopies, Reduction, sum};
use redist::{Bound, Error, Plan, Redistribution, Side, TypedPlan, threads};

/// Ranks that have the element before and after a move among three ranks.
fn places() -> impl Iterator<Item = (usize, usize)> {
    (0..3).flat_map(|from| (0..3).map(move |to| (from, to)))
}

fn plan(from: usize, to: usize) -> TypedPlan<u32, 0> {
    let [from, to] = [from, to].map(|rank| format!("() ranks {rank}..{}", rank + 1));
    TypedPlan::parse([], &from, &to).unwrap()
}

fn part<const D: usize>(bound: &Bound<u32, D>, side: Side, value: u32) -> Vec<u32> {
    vec![value; bound.local_len(side)]
}

#[test]
fn an_element_moves() {
    for (from, to) in places() {
        let plan = plan(from, to);
        threads::run(3, |rank| {
            let (mut bound, here) = (plan.bind(rank)?, rank.rank());
            let source = part(&bound, Side::Source, 7);
            assert_eq!(
                (source.len(), from == here),
                (usize::from(from == here), !source.is_empty())
            );
            let indices = bound.global_indices(Side::Destination).collect::<Vec<_>>();
            assert_eq!(indices, vec![[0usize; 0]; usize::from(to == here)]);
            let mut found = part(&bound, Side::Destination, 0);
            bound.run(&source, &mut found)?;
            assert_eq!(found, part(&bound, Side::Destination, 7));
            bound.run_with(&source, &mut found, |moved, kept| *kept += moved)?;
            assert_eq!(found, part(&bound, Side::Destination, 14));
            bound.start(&source, &mut found)?.finish()?;
            assert_eq!(found, part(&bound, Side::Destination, 7));
            let mut own = source.clone();
            bound.run_in_place(&mut own)?;
            assert_eq!(own, found);
            let mut back = plan.inverse().bind(rank)?;
            let mut again = part(&back, Side::Destination, 0);
            back.run(&found, &mut again)?;
            assert_eq!(again, source);
            let binder = plan.binder().collectively().max_bytes(1000);
            binder.bind(rank)?.run(&source, &mut found)
        })
        .unwrap();
    }
}

#[test]
fn its_plan_tells_all_that_plans_tell() {
    for (from, to) in places() {
        let plan = plan(from, to).plan();
        let is_there = |one, other| usize::from((one, other) == (from, to));
        for (one, other) in places() {
            assert_eq!(plan.volume(one, other), is_there(one, other), "{from} {to}");
        }
        assert_eq!(plan.stays().value, usize::from(from == to));
        assert!(plan.explain().contains("1 element"), "{}", plan.explain());
        let text = plan.to_string();
        assert!(text.contains("()"), "{text}");
        let inverse = plan.inverse();
        assert_eq!(inverse.volume(to, from), 1);
    }
    assert_ne!(plan(0, 1).plan().digest(), plan(1, 0).plan().digest());
    assert!(Plan::<0>::parse([], "() ranks 0..2", "()").is_err(), "one element has one owner");
}

/// A step counter of a model goes with its weights, in one exchange.
#[test]
fn it_goes_with_other_arrays() {
    let weights = TypedPlan::<u32, 1>::parse([7], "block onto 3", "cyclic onto 2").unwrap();
    let counter = plan(2, 0);
    threads::run(3, |rank| {
        let mut batch = Batch::new();
        batch.add(&weights);
        batch.add(&counter);
        let mut bound = batch.bind(rank)?;
        let [before, after] =
            [Side::Source, Side::Destination].map(|side| bound.local_len(0, side));
        let of_counter = [Side::Source, Side::Destination].map(|side| bound.local_len(1, side));
        assert_eq!(of_counter, [usize::from(rank.rank() == 2), usize::from(rank.rank() == 0)]);
        assert_eq!(bound.local_shape(1, Side::Source), [of_counter[0]]);
        let (rows, step) = (vec![3_u32; before], vec![41_u32; of_counter[0]]);
        let (mut cyclic, mut moved) = (vec![0; after], vec![0; of_counter[1]]);
        bound.run(&mut [
            BatchArrays::new(&rows, &mut cyclic),
            BatchArrays::new(&step, &mut moved),
        ])?;
        assert!(cyclic.iter().all(|one| *one == 3) && moved.iter().all(|one| *one == 41));
        Ok::<_, Error>(())
    })
    .unwrap();
}

#[test]
fn copies_of_it_are_told_and_added() {
    let broadcast = PlanWithCopies::<u64, 0>::parse([], "() ranks 1..2", "() copies 3").unwrap();
    let all_reduce = Reduction::<u64, 0>::parse([], "() copies 3", "() copies 3").unwrap();
    let found = threads::run(3, |rank| {
        let (mut told, mut total) = ([0], [0]);
        let own = [10u64.pow(rank.rank() as u32)];
        broadcast.bind(rank)?.run(if rank.rank() == 1 { &own } else { &[] }, &mut told)?;
        all_reduce.bind(rank)?.run(&own, &mut total, sum)?;
        Ok::<_, Error>((told, total))
    });
    assert_eq!(found.unwrap(), [([10], [111]); 3]);
}

/// All distributions deal extents of 0 and 1, and grids of one rank.
#[test]
fn small_extents_and_grids_of_one() {
    let dists = ["block", "block balanced", "block balanced last", "cyclic", "cyclic(4)", "*"];
    for (extent, from, to) in [0, 1]
        .into_iter()
        .flat_map(|extent| dists.iter().map(move |from| (extent, *from)))
        .flat_map(|(extent, from)| dists.iter().map(move |to| (extent, from, *to)))
    {
        for grid in [1, 3] {
            let onto = |dist: &str| match dist {
                "*" => "(*, *)".to_owned(),
                dist => format!("({dist}, *) onto {grid}"),
            };
            let plan = TypedPlan::<u32, 2>::parse([extent, 1], &onto(from), &onto(to)).unwrap();
            let held = threads::run(3, |rank| {
                let mut bound = plan.bind(rank)?;
                let mut found = part(&bound, Side::Destination, 0);
                bound.run(&part(&bound, Side::Source, 5), &mut found)?;
                Ok::<_, Error>(found)
            });
            assert_eq!(held.unwrap().concat(), vec![5; extent], "{extent}: {from} -> {to}");
        }
    }
}
