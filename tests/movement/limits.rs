//! Impossible calls: errors before work that grows with extents or ranks.

use redist::exec::Batch;
use redist::transport::Route;
use redist::{Error, Redistribution, Side, TypedPlan, threads};

fn plan() -> TypedPlan<u64, 1> {
    TypedPlan::parse([90], "block onto 3", "cyclic(2) onto 3").expect("the notation is right")
}

#[test]
fn a_function_that_moves_is_told() {
    for route in [Route::Automatic, Route::Messages] {
        let moved = threads::run(3, |rank| {
            let plan = plan();
            let bind = || plan.binder().route(route).bind(rank);
            let (mut outer, mut inner) = (bind()?, bind()?);
            let mut batch = Batch::new();
            batch.add(&plan);
            let mut batch = batch.bind(rank)?;
            let source: Vec<u64> = vec![rank.rank() as u64; outer.local_len(Side::Source)];
            let mut kept = vec![0; outer.local_len(Side::Destination)];
            let (mut told, mut scratch) = (Vec::new(), kept.clone());
            outer.run_with(&source, &mut kept, |moved, kept| {
                *kept = moved;
                if rank.rank() == 1 && told.is_empty() {
                    told.push(inner.run(&source, &mut scratch).err());
                    told.push(inner.start(&source, &mut scratch).err());
                    told.push(bind().err());
                    told.push(batch.run(&mut []).err());
                }
            })?;
            for error in told {
                let text = error.map(|error| error.to_string()).unwrap_or_default();
                assert!(text.contains("rank 1 asks for it in the function of another"), "{text}");
            }
            // Both work as before.
            inner.run(&source, &mut scratch)?;
            assert_eq!(scratch, kept);
            outer.run(&source, &mut scratch)?;
            Ok::<_, Error>(scratch == kept)
        });
        assert_eq!(moved.map_err(|error| error.to_string()), Ok(vec![true; 3]));
    }
}

#[test]
fn a_function_that_panics_moves_again() {
    let moved = threads::run(3, |rank| {
        let mut bound = plan().bind(rank)?;
        let source = vec![1; bound.local_len(Side::Source)];
        let mut kept = vec![0; bound.local_len(Side::Destination)];
        let panics = std::panic::AssertUnwindSafe(|| {
            bound.run_with(&source, &mut kept, |_, _| assert!(rank.rank() != 1, "it panics"))
        });
        let done = std::panic::catch_unwind(panics);
        assert_eq!(done.is_err(), rank.rank() == 1);
        bound.run(&source, &mut kept)?;
        Ok::<_, Error>(kept.iter().all(|kept| *kept == 1))
    });
    assert_eq!(moved.map_err(|error| error.to_string()), Ok(vec![true; 3]));
}

#[test]
fn more_ranks_than_threads_are_an_error() {
    for ranks in [usize::MAX, 1 << 40, (1 << 22) + 1] {
        let failure = threads::run(ranks, |_| Ok::<_, Error>(())).unwrap_err();
        assert!(matches!(failure, threads::Failure::Spawn { rank: 4_194_304, .. }), "{failure:?}");
        assert!(failure.to_string().contains("no system has more than 4194304 threads"));
    }
}

/// Rank 1 would have 1 TiB, which it never allocates, because rank 0 is not ready.
#[test]
fn nothing_grows_in_place_before_all_are_ready() {
    let plan = TypedPlan::<u8, 1>::parse(
        [1 << 40],
        "block onto 1",
        "gen_block([0, 1099511627776]) onto 2",
    );
    let plan = plan.expect("the notation is right");
    let told = threads::run(2, |rank| {
        let mut array = Vec::new();
        let told = plan.bind(rank)?.run_in_place(&mut array).unwrap_err();
        assert_eq!(array.capacity(), 0, "rank {}", rank.rank());
        Ok::<_, Error>(told.to_string())
    });
    let told = told.expect("both return what they were told");
    assert!(told.iter().all(|text| text.contains("the local source array")), "{told:?}");
}

#[test]
fn rows_without_elements_are_not_walked() {
    let plan = TypedPlan::<u8, 2>::parse(
        [1 << 50, 3],
        "(block, block) onto (1, 4)",
        "(block, cyclic) onto (1, 4)",
    );
    let plan = plan.expect("the notation is right");
    plan.binder().packing(3).pack(&[], &mut []);
    plan.binder().unpacking(3).unpack(&mut [], &[]);
}
