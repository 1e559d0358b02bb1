//! Messages that are split because they exceed a limit, and a message that really does.

use crate::arrays::{Counted, case, moves_with, plan};
use crate::random::each;
use crate::{EVERY, FROM_THREE};
use redist::mpi::Communicator;
use redist::transport::Route;
use redist::{Redistribution, Side};
use redist_mpi_tests::{Case, Outcome};
use redist_testing::strategies;
use std::time::Instant;

pub const CASES: &[Case] = &[
    Case::new("large::every_byte_alone", FROM_THREE, |world| split(world, 1)),
    Case::new("large::elements_are_cut", FROM_THREE, |world| split(world, 7)),
    Case::new("large::pieces_of_64_bytes", FROM_THREE, |world| split(world, 64)),
    Case::new("large::the_limit_is_a_message", FROM_THREE, |world| split(world, 8 * 56)),
    Case::new("large::random", EVERY, |world| {
        each::<2>(world, |case| moves_in_pieces::<u128, 2>(case, world, 13))
    }),
    Case::new("large::more_than_2_gib", &[2], more_than_2_gib).limit(600).ignored(),
];

fn moves_in_pieces<T: Counted, const D: usize>(
    case: &strategies::Case<D>,
    world: &Communicator,
    limit: usize,
) -> Outcome {
    moves_with::<T, D, _>(case, world, |binder| {
        binder.route(Route::Messages).max_message_bytes(limit)
    })
}

fn split(world: &Communicator, limit: usize) -> Outcome {
    moves_in_pieces::<u64, 1>(
        &case([503], "block onto 3", "block onto 2 ranks 1..3"),
        world,
        limit,
    )?;
    let planes = case([17, 20], "(cyclic(3), *) onto 3", "(*, cyclic(2)) onto 3");
    moves_in_pieces::<[f32; 3], 2>(&planes, world, limit)?;
    moves_in_pieces::<u8, 1>(&case([5], "cyclic onto 3", "cyclic onto 3 first 1"), world, limit)
}

/// One message of 2 GiB and a bit; takes 9 GiB of memory on one machine.
fn more_than_2_gib(world: &Communicator) -> Outcome {
    let len = (1 << 28) + 1001;
    let case = case([len], "block onto 1", "block onto 1 ranks 1..2");
    let mut bound = plan::<u64, 1>(&case).bind(world)?;
    let source: Vec<u64> = (0..bound.local_len(Side::Source) as u64).map(element).collect();
    let mut destination = vec![0; bound.local_len(Side::Destination)];
    let begun = Instant::now();
    bound.run(&source, &mut destination)?;
    eprintln!("{} bytes in {:?}", len * size_of::<u64>(), begun.elapsed());
    assert_eq!(destination.len(), if world.rank() == 1 { len } else { 0 });
    assert!(destination.iter().zip(0..).all(|(&found, at)| found == element(at)));
    Ok(())
}

fn element(at: u64) -> u64 {
    at.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
