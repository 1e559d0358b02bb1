//! Ranks in any order on the grids of both sides.

use crate::arrays::{Parts, case, plan};
use redist::mpi::Communicator;
use redist::{Redistribution, Side, redistribute};
use redist_mpi_tests::{Case, Outcome};

pub const CASES: &[Case] = &[
    Case::new("maps::ranks_in_any_order", &[4, 6], ranks_in_any_order),
    Case::new("maps::relabelled_ranks", &[4, 6], relabelled_ranks),
];

const FROM: &str = "(cyclic(4), block) onto (2, 2) ranks [2, 0, 3, 1]";
const TO: &str = "(*, cyclic(3)) onto 3 ranks [3, 1, 2] storage fortran";

redistribute! {
    struct Mapped: [u64; 30, 41] {
        from: (cyclic(4), block) onto (2, 2) ranks [2, 0, 3, 1],
        to: (*, cyclic(3)) onto 3 ranks [3, 1, 2] storage fortran,
    }
}

fn ranks_in_any_order(world: &Communicator) -> Outcome {
    let case = case([30, 41], FROM, TO);
    let parts = Parts::<u64>::new(&case, world.rank());
    let mut bound = if world.rank().is_multiple_of(2) {
        Mapped::new().bind(world)?
    } else {
        plan(&case).bind(world)?
    };
    (0..5).try_for_each(|round| parts.moved(&mut bound, round))
}

fn relabelled_ranks(world: &Communicator) -> Outcome {
    let plain = case([24], "cyclic(3) onto 4", "cyclic(5) onto 4");
    let best = plain.plan().relabelled()?;
    let case = redist_testing::strategies::Case {
        to: *best.descriptor(Side::Destination).layout(),
        ..plain
    };
    let parts = Parts::<u64>::new(&case, world.rank());
    parts.moved(&mut plan(&case).bind(world)?, 0)
}
