//! Arrays of more than 2^31 and 2^32 elements, in up to 9 GiB of memory, on demand:
//! `cargo test --release --test laws -- --ignored --test-threads=1`.

use redist::threads;
use redist::transport::Route;
use redist::{Error, Redistribution, Side, TypedPlan};
use std::time::Instant;

/// Differs for neighbours, and 2^31 or 2^32 further on.
fn element(index: usize) -> u8 {
    ((index.wrapping_mul(0x9E37_79B9_7F4A_7C15)) >> 56) as u8
}

fn moves(len: usize, from: &str, to: &str, route: Route) {
    let plan = TypedPlan::<u8, 1>::parse([len], from, to).unwrap();
    let held = threads::run(plan.plan().ranks(), |rank| {
        let mut bound = plan.binder().route(route).bind(rank)?;
        let value = |[index]: [usize; 1]| element(index);
        let source: Vec<u8> = bound.global_indices(Side::Source).map(value).collect();
        let mut destination = vec![0; bound.local_len(Side::Destination)];
        let begun = Instant::now();
        bound.run(&source, &mut destination)?;
        println!("{route}, rank {}: {len} elements in {:?}", rank.rank(), begun.elapsed());
        drop(source);
        let indices = bound.global_indices(Side::Destination);
        let wrong = indices.zip(&destination).find(|(index, found)| value(*index) != **found);
        assert_eq!(wrong, None, "rank {}", rank.rank());
        Ok::<_, Error>([bound.local_len(Side::Source), destination.len()])
    });
    let held = held.unwrap();
    assert!(held.iter().flatten().any(|held| *held > len / 2), "one rank has most: {held:?}");
    for side in 0..2 {
        assert_eq!(held.iter().map(|held| held[side]).sum::<usize>(), len);
    }
}

const PAST_31: usize = (1 << 31) + 1001;
const PAST_32: usize = (1 << 32) + 1001;

#[test]
#[ignore = "takes 9 GiB of memory"]
fn lent_arrays_past_32_bits() {
    moves(PAST_32, "cyclic(4096) onto 1", "block onto 1 ranks 1..2", Route::Automatic);
    moves(PAST_32, "block onto 1", "cyclic(4294966000) onto 2", Route::Automatic);
}

#[test]
#[ignore = "takes 7 GiB of memory"]
fn messages_past_31_bits() {
    moves(PAST_31, "block onto 1", "block onto 1 ranks 1..2", Route::Messages);
    moves(PAST_31, "cyclic(3) onto 2", "cyclic(2147483600) onto 2", Route::Messages);
}
