//! Windows that the library keeps separate from memory, by `MPI_WIN_MODEL`: nothing moves through
//! them, and no rank reads or writes them as memory.

use crate::arrays::{Parts, case, plan};
use crate::injected::{self, SEPARATE_WINDOW};

use redist::mpi::{Communicator, SharedArray};
use redist::transport::Way;
use redist::{Error, Redistribution, Side};
use redist_mpi_tests::{Case, Outcome};
use redist_testing::strategies;

pub const CASES: &[Case] = &[
    Case::new("separate::of_one_rank", &[3], |world| refused(world, |rank| rank == 1)).limit(30),
    Case::new("separate::of_all_ranks", &[3], |world| refused(world, |_| true)).limit(30),
];

fn line() -> strategies::Case<1> {
    case([1003], "cyclic(10) onto 3", "cyclic(2) onto 2 ranks 1..3")
}

fn refused(world: &Communicator, separate: fn(usize) -> bool) -> Outcome {
    let rank = world.rank();
    let next_is_separate = || {
        if separate(rank) {
            injected::fail(SEPARATE_WINDOW);
        }
    };
    let parts = Parts::<u64>::new(&line(), rank);
    let freed = injected::freed_windows();
    next_is_separate();
    let mut bound = plan::<u64, 1>(&line()).bind(world)?;
    assert_eq!(bound.way(), Way::Messages, "{}", bound.explain());
    assert_eq!(injected::freed_windows(), freed + 1, "all ranks free the plan's");
    let mut destination = parts.untouched();
    bound.run(&parts.source(1), &mut destination)?;
    parts.same(&destination, 1)?;
    next_is_separate();
    let shared: Result<SharedArray<u64>, Error> = bound.shared_array(Side::Source);
    let told = match shared {
        Err(Error::Unavailable { reason, .. }) if separate(rank) => reason,
        Err(Error::PeerFailed { rank: 1, reason }) if !separate(rank) => reason,
        other => return Err(format!("a shared array is {:?}", other.map(|_| "made")).into()),
    };
    assert!(told.contains("MPI_WIN_SEPARATE"), "{told}");
    assert_eq!(injected::freed_windows(), freed + 2, "all ranks free the array's");
    // The next one is as it should be.
    let mut source = bound.shared_array(Side::Source)?;
    source.copy_from_slice(&parts.source(2));
    let mut destination = parts.untouched();
    bound.run(&source, &mut destination)?;
    parts.same(&destination, 2)
}
