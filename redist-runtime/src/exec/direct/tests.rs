//! Direct copies beside messages.

use super::*;
use crate::exec::{Redistribution, RuntimePlan};
use crate::plan::Side;
use crate::transport::Lent;
use core::cell::UnsafeCell;

/// What arrives, by messages and by direct copies.
fn check<T: Element + PartialEq + core::fmt::Debug, const D: usize>(
    extents: [usize; D],
    from: &str,
    to: &str,
    value: impl Fn(usize) -> T,
) {
    let plan = RuntimePlan::<T, D>::parse(extents, from, to).unwrap();
    let ranks = 0..plan.plan().ranks();
    // What must still be there where nothing is moved to.
    let untouched = |len| vec![value(99); len];
    let local_len = |rank| plan.plan().descriptor(Side::Source).local_len(rank);
    let local = |rank| (0..local_len(rank)).map(|index| value(rank * 100_000 + index + 1)).collect();
    let sources: Vec<Vec<T>> = ranks.clone().map(local).collect();
    let slices: Vec<&[T]> = sources.iter().map(Vec::as_slice).collect();
    let packed: Vec<Vec<(usize, Vec<T>)>> = ranks.clone().map(|rank| packed(&plan, rank, &sources[rank])).collect();
    let mut expected = Vec::new();
    for rank in ranks.clone() {
        let unpacking = plan.unpacking(rank);
        let message = |from: usize| &packed[from].iter().find(|(to, _)| *to == rank).expect("it is sent").1[..];
        let mut messages: Vec<&[T]> = unpacking.envelopes().iter().map(|envelope| message(envelope.rank)).collect();
        let (mut unpacked, mut found) = (untouched(unpacking.local_len()), untouched(unpacking.local_len()));
        unpacking.unpack(&mut unpacked, &mut messages);
        Direct::new::<T, D>(&plan.plan(), rank).copy(&slices, &mut found);
        assert!(found == unpacked, "{from} -> {to}, rank {rank}");
        for offset in [1, 3] {
            // Lines of the cache begin elsewhere.
            let mut around = untouched(offset + found.len() + 1);
            Direct::new::<T, D>(&plan.plan(), rank).copy(&slices, &mut around[offset..offset + unpacked.len()]);
            assert!(around[offset..offset + unpacked.len()] == unpacked, "{from} -> {to}, rank {rank}, from {offset}");
            assert!(around[..offset] == untouched(offset) && around[offset + unpacked.len()..] == untouched(1));
        }
        expected.push(unpacked);
    }
    for tile in [100, usize::MAX] {
        let mut found: Vec<Vec<T>> = expected.iter().map(|local| untouched(local.len())).collect();
        let destinations: Vec<&[UnsafeCell<T>]> = found.iter_mut().map(|local| copy::cells(local)).collect();
        for rank in ranks.clone() {
            let lent = Lent { sources: &slices, destinations: &destinations };
            Share::in_tiles(&plan.plan(), rank, tile).copy(&lent);
        }
        assert!(found == expected, "{from} -> {to}, divided in tiles of {tile}");
    }
}

fn packed<T: Element, const D: usize>(plan: &RuntimePlan<T, D>, rank: usize, local: &[T]) -> Vec<(usize, Vec<T>)> {
    let packing = plan.packing(rank);
    let mut messages: Vec<Vec<T>> = packing.envelopes().iter().map(|to| vec![T::ZERO; to.len]).collect();
    let mut slices: Vec<&mut [T]> = messages.iter_mut().map(Vec::as_mut_slice).collect();
    packing.pack(local, &mut slices);
    packing.envelopes().iter().map(|to| to.rank).zip(messages).collect()
}

fn check_sizes<const D: usize>(extents: [usize; D], from: &str, to: &str) {
    check(extents, from, to, |value| value as u8);
    check(extents, from, to, |value| value as u32);
    check(extents, from, to, |value| value as f64);
    check(extents, from, to, |value| value as u128);
    check(extents, from, to, |value| [value as u16; 3]);
    check(extents, from, to, |value| [value as u64; 9]);
}

#[test]
fn direct_copies_bring_what_messages_bring() {
    check_sizes([20_003], "cyclic(10) onto 3", "cyclic(2) onto 4");
    check_sizes([20_003], "block onto 4", "cyclic onto 4");
    check_sizes([20_003], "cyclic onto 4", "block onto 3");
    check_sizes([9_001], "block onto 2", "block onto 3");
    check_sizes([5_003], "cyclic(63) onto 2", "cyclic(64) onto 3");
    let sections = ("(cyclic(16), cyclic(16)) onto (2, 2) of [300, 200] at [37, 5]", "(cyclic(30), block) onto (2, 2)");
    check_sizes([150, 190], sections.0, sections.1);
    check_sizes([150, 190], sections.0, &format!("{} storage fortran", sections.1));
    check_sizes([97, 83], "(block, *) onto 3", "(block, *) onto 4 transposed");
    check_sizes([160, 192], "(block, *) onto 2", "(block, *) onto 3 transposed");
    check_sizes([97, 83], "(cyclic, cyclic) onto (2, 2)", "(cyclic, cyclic) onto (2, 2) transposed");
    check_sizes(
        [9, 40, 33],
        "(*, block, cyclic) onto (2, 2) storage fortran",
        "(cyclic(3), *, *) onto 2 axes (2, 0, 1)",
    );
    check_sizes([40, 9], "(gen_block([30, 0, 10]), *) onto 3", "(*, cyclic(2)) onto 2");
}
