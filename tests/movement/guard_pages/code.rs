//! Code that the compiler writes for blocks: which instructions have some, and what it copies.

use crate::cases::Known;
use crate::kernels::{Used, every_way};
use redist::exec::{Kernel, KernelChoice, Vectors};
use redist::{Element, Redistribution, redistribute};
use redist_testing::drawn;
use redist_testing::strategies::Case;
use std::collections::BTreeSet;

const EXTENTS: [usize; 4] = [500, 5_003, 24_000, 24_017];

fn used_by<T: Element>(item: &impl Redistribution<1, Element = T>, used: &mut BTreeSet<Vectors>) {
    let (plan, back) = (item.plan(), item.inverse());
    for most in Vectors::runnable() {
        for rank in 0..plan.ranks() {
            let packs = item.binder().max_vectors(most).packing(rank).kernel();
            let unpacks = back.binder().max_vectors(most).unpacking(rank).kernel();
            used.extend([packs, unpacks].into_iter().filter_map(by_code));
        }
    }
}

fn by_code(choice: KernelChoice) -> Option<Vectors> {
    match choice.kernel {
        Kernel::Compiled { vectors } => Some(vectors),
        _ => None,
    }
}

fn copies<const N: usize>(item: &impl Redistribution<1, Element = [u8; N]>) {
    let plan = item.plan();
    let [from, to] = [redist::Side::Source, redist::Side::Destination]
        .map(|side| *plan.descriptor(side).layout());
    let known = Known::new(Case { extents: plan.extents(), from, to });
    every_way::<N, 1, _>(&known, item, &mut Used::default());
}

/// Returns the instructions that have code for elements of each size, and copies some of them.
macro_rules! used {
    ($($size:literal)*: $own:tt $ranks:tt $peer:tt $peers:tt $first:tt) => {{
        redistribute! {
            struct Blocks<T: Element>(n: usize): [T; n] {
                from: cyclic($own) onto $ranks first $first,
                to: cyclic($peer) onto $peers,
            }
        }
        [$({
            let mut used = BTreeSet::new();
            for (number, extent) in EXTENTS.into_iter().enumerate() {
                let item = Blocks::<[u8; $size]>::new(extent).expect("an extent that fits");
                used_by(&item, &mut used);
                if drawn::all() || number as u64 == drawn::seed() % 4 {
                    copies(&item);
                    copies(&item.inverse());
                }
            }
            ($size, used)
        }),*]
    }};
}

fn has_vbmi() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx512vbmi");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Lists the instructions that have code for runs of whole units in short arrays.
fn expected(unit: usize) -> BTreeSet<Vectors> {
    let copied = if cfg!(target_arch = "x86_64") { 4 } else { 8 };
    let fits = |vectors: &Vectors| match vectors {
        Vectors::Portable => unit >= copied,
        Vectors::Sse2 => false,
        Vectors::Neon => unit < 8,
        Vectors::Avx2 => unit < 8,
        Vectors::Avx512 => unit == 4 || unit == 2 || unit == 1 && has_vbmi(),
    };
    Vectors::runnable().filter(fits).collect()
}

#[test]
fn blocks_that_are_cut() {
    for (size, used) in used!(1 2 4 8 12 16: 5 3 1 3 1) {
        assert_eq!(used, expected(if size == 12 { 4 } else { size }), "{size} bytes");
    }
    // Runs of 3 elements for 4 peers of 5.
    for (size, used) in used!(1 2 4 8 16: 12 2 3 5 1) {
        assert_eq!(used, expected(size), "{size} bytes");
    }
}

#[test]
fn blocks_that_are_gathered() {
    for (size, used) in used!(1 2 4 8 12 16: 2 3 10 2 2) {
        let unit = if size == 12 { 8 } else { 2 * size };
        assert_eq!(used, expected(unit.min(16)), "{size} bytes");
    }
}

#[test]
fn general_blocks() {
    let check = |unit: usize, used: &[(usize, BTreeSet<Vectors>)]| {
        for (size, used) in used {
            let gains = unit * size < 8;
            for vectors in [Vectors::Neon, Vectors::Avx2] {
                let is_had = Vectors::runnable().any(|level| level == vectors);
                assert!(!(is_had && gains) || used.contains(&vectors), "{size} bytes: {used:?}");
            }
        }
    };
    // Runs of these many elements, or multiples.
    check(2, &used!(1 2 4 8 16: 4 3 6 5 0));
    check(1, &used!(2 4: 7 3 5 2 1));
    check(4, &used!(4 8: 8 3 12 5 0));
    check(1, &used!(1 4: 31 2 8 3 1));
}

#[test]
fn rounds_of_long_blocks() {
    for (size, used) in used!(1 4 8: 2000 3 2 3 1) {
        assert_eq!(used, expected(2 * size), "{size} bytes");
    }
}

#[test]
fn blocks_for_which_code_gains_nothing() {
    // Networks, where there are any, and moves of a constant length.
    for (size, used) in used!(4 8: 400 2 1 4 0) {
        assert!(used.is_empty() || cfg!(not(target_arch = "x86_64")), "{size} bytes: {used:?}");
    }
    for (size, used) in used!(12 16: 400 2 4 3 0) {
        assert!(used.is_empty(), "{size} bytes: {used:?}");
    }
    // More peers or longer periods than code covers.
    let [(_, peers)] = used!(4: 16 2 1 16 0);
    let [(_, periods)] = used!(4: 1024 2 654 3 0);
    assert!(peers.is_empty() && periods.is_empty(), "{peers:?}, {periods:?}");
}
