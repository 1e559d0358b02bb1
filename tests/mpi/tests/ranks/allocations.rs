//! Allocations of a rank, counted by an allocator: messages on their first use, and nothing later. Each
//! test has a communicator of its own, to which no message of a mistake before comes.

use crate::FROM_THREE;
use crate::arrays::{Parts, case, plan};
use redist::mpi::Communicator;
use redist::plan::schedule::Method;
use redist::transport::Route;
use redist::{Bound, Redistribution, Side};
use redist_mpi_tests::{Case, Outcome};
use redist_testing::allocations::{Counting, counted};
use redist_testing::strategies;

pub const CASES: &[Case] = &[
    Case::new("allocations::messages_when_they_are_needed", FROM_THREE, messages_when_needed),
    Case::new("allocations::none_in_repeated_runs", FROM_THREE, none_in_repeated_runs),
    Case::new("allocations::none_between_shared_arrays", FROM_THREE, none_between_shared_arrays),
];

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn to(layout: &str) -> strategies::Case<1> {
    case([30_000], "block onto 3", layout)
}

/// Elements of an array of which a rank's part, and each large message, is larger than all that a bind
/// allocates at once. A bind may enlarge the table of a communicator's last 256 plans, to some 50 kB.
const LEN: usize = 300_000;

/// Binding takes the same memory for large arrays as for small ones.
fn messages_when_needed(world: &Communicator) -> Outcome {
    let own = world.duplicate()?;
    let case = case([LEN], "block onto 3", "cyclic(8) onto 3");
    let (parts, plan) = (Parts::<u64>::new(&case, world.rank()), plan(&case));
    let (bound, allocations) = counted(|| plan.binder().route(Route::Messages).bind(&own));
    let mut bound = bound?;
    let largest = allocations.largest;
    assert!(largest < LEN / 3, "bind allocates {largest} bytes at once");
    let (source, mut destination) = (parts.source(1), parts.untouched());
    let (ran, allocations) = counted(|| bound.run(&source, &mut destination));
    ran?;
    let largest = allocations.largest;
    assert!(
        world.rank() >= 3 || largest >= LEN / 3 * 8,
        "the first run allocates messages, not {largest} bytes"
    );
    parts.same(&destination, 1)
}

fn none_in_repeated_runs(world: &Communicator) -> Outcome {
    let own = world.duplicate()?;
    for case in [to("cyclic(8) onto 3"), to("cyclic(500) onto 3")] {
        let parts = Parts::new(&case, world.rank());
        none(&parts, &mut plan(&case).bind(&own)?)?;
        none(&parts, &mut plan(&case).binder().method(Method::Caterpillar).bind(&own)?)?;
    }
    Ok(())
}

fn none(parts: &Parts<u64>, bound: &mut Bound<u64, 1>) -> Outcome {
    parts.moved(bound, 1)?;
    // If runs need no messages, these are the first ones.
    let (source, mut destination) = (parts.source(1), parts.untouched());
    bound.start(&source, &mut destination)?.finish()?;
    for round in 2..10 {
        let (source, mut destination) = (parts.source(round), parts.untouched());
        let (ran, allocations) = counted(|| bound.run(&source, &mut destination));
        ran?;
        assert_eq!(allocations.number, 0, "allocations in round {round}");
        let (started, allocations) = counted(|| bound.start(&source, &mut destination)?.finish());
        started?;
        assert_eq!(allocations.number, 0, "allocations of a start in round {round}");
        parts.same(&destination, round)?;
    }
    Ok(())
}

fn none_between_shared_arrays(world: &Communicator) -> Outcome {
    let (case, own) = (to("cyclic(8) onto 3"), world.duplicate()?);
    let parts = Parts::<[u64; 9]>::new(&case, world.rank());
    let mut bound = plan(&case).bind(&own)?;
    let (mut from, mut to) =
        (bound.shared_array(Side::Source)?, bound.shared_array(Side::Destination)?);
    for round in 0..10 {
        from.copy_from_slice(&parts.source(round));
        let (ran, allocations) = counted(|| bound.run(&from, &mut to));
        ran?;
        let number = allocations.number;
        assert!(number == 0 || round == 0, "{number} allocations in round {round}");
        let (ran, allocations) = counted(|| bound.run(&from, &mut to));
        ran?;
        let number = allocations.number;
        assert!(
            number == 0 || round == 0,
            "{number} allocations from a shared array in round {round}"
        );
        parts.same(&to, round)?;
    }
    Ok(())
}
