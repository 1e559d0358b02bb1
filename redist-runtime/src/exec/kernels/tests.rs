//! Compares every kernel, at all vector levels of the processor, with the plain engine.

mod case;
mod written;

use super::{Kernel, KernelChoice, Memory, RowKernel, RowSizes, ToMessages, Vectors};
use crate::exec::calls::CopiedBytes;
use crate::plan::{Plan, Side};
use crate::program::Program;
use case::{Case, raw};
use std::collections::BTreeSet;

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |extent: usize, from: &str, to: &str| {
        let plan = Plan::<1>::parse([extent], from, to).unwrap();
        for side in [Side::Source, Side::Destination] {
            for rank in 0..2 {
                let program = Program::new(&plan.into(), &[], side, rank);
                if !program.dims.is_empty() && !program.envelopes().is_empty() {
                    let name = format!("{extent} elements, {from} -> {to}, {side} {rank}");
                    cases.push(Case { program, name });
                }
            }
        }
    };
    for ranks in [2, 3, 4, 8, 16] {
        let extent = 403 * ranks;
        for (from, to) in [
            (1, 64),
            (1, 5),
            (2, 10),
            (4, 100),
            (1, 37),
            (1, 50),
            (4, 6),
            (10, 4),
            (30, 64),
            (7, 1000),
        ] {
            let (from, to) =
                (format!("cyclic({from}) onto {ranks}"), format!("cyclic({to}) onto {ranks}"));
            add(extent, &from, &to);
            add(extent, &to, &from);
        }
        add(extent, "block onto 3", &format!("cyclic onto {ranks}"));
        add(extent, &format!("cyclic(3) onto {ranks}"), "block onto 2");
        add(extent, &format!("cyclic(3) onto {ranks} first 1"), "cyclic(7) onto 4 first 2");
    }
    for (ranks, blocks) in
        [(5, [7, 10, 47]), (9, [9, 16, 100]), (16, [25, 32, 200]), (33, [34, 65, 300])]
    {
        for block in blocks {
            let extent = (21 * ranks + 2) * block - 5;
            for small in [1, 2] {
                let long = format!("cyclic({}) onto {ranks}", block * small);
                let short = format!("cyclic({small}) onto {ranks}");
                add(extent * small, &long, &short);
                add(extent * small, &short, &long);
            }
        }
    }
    add(2_000, "gen_block([600, 0, 1200, 200]) onto 4", "cyclic(7) onto 3 first 1");
    add(900, "cyclic(16) onto 2 of [1280] at [37]", "cyclic(7) onto 3");
    add(1500, "cyclic onto 2", "cyclic(10) onto 70");
    add(6_100, "cyclic(1000) onto 2", "cyclic(3000) onto 3");
    cases
}

#[test]
fn runs_of_every_length_are_copied() {
    for len in 1..=260 {
        for blocks in [3, 36] {
            let (from, to) =
                (format!("cyclic({}) onto 2", 2 * len), format!("cyclic({len}) onto 2"));
            let plan = Plan::<1>::parse([4 * len * blocks], &from, &to).unwrap();
            let case = |plan: &Plan<1>, side| Case {
                program: Program::new(&plan.into(), &[], side, 1),
                name: format!("{blocks} blocks of 2 runs of {len} bytes"),
            };
            for vectors in [Vectors::Portable, Vectors::Avx2.min(Vectors::detected())] {
                case(&plan, Side::Source).pack::<[u8; 1]>(vectors, &[]);
            }
            let back = Plan::<1>::parse([4 * len * blocks], &to, &from).unwrap();
            for vectors in [Vectors::Portable, Vectors::Avx2.min(Vectors::detected())] {
                case(&back, Side::Destination).unpack::<[u8; 1]>(vectors, &[]);
            }
        }
    }
}

fn run_all(run: impl Fn(&Case, Vectors) -> Vec<KernelChoice>) -> BTreeSet<(String, String)> {
    let mut chosen = BTreeSet::new();
    for case in cases() {
        for vectors in Vectors::runnable() {
            for KernelChoice { kernel, memory, .. } in run(&case, vectors) {
                let kernel = format!("{kernel:?}");
                chosen.insert((
                    kernel.split([' ', '{']).next().unwrap_or_default().to_owned(),
                    format!("{memory:?}"),
                ));
            }
        }
    }
    chosen
}

fn check_all_were_chosen(chosen: &BTreeSet<(String, String)>) {
    let has =
        |kernel: &str, memory: Memory| chosen.contains(&(kernel.to_owned(), format!("{memory:?}")));
    assert!(has("Tiles", Memory::Cached), "{chosen:?}");
    let detected = Vectors::detected();
    let kernels = [
        ("Moves", Vectors::Portable),
        ("Table", Vectors::Portable),
        ("Copy", Vectors::Portable),
        ("Network", Vectors::Sse2),
        ("Permute", Vectors::Avx512),
        ("Masked", Vectors::Avx512),
    ];
    for (kernel, _) in kernels.iter().filter(|(_, least)| detected >= *least) {
        assert!(has(kernel, Memory::Cached), "{kernel}: {chosen:?}");
        if detected >= Vectors::Sse2 {
            assert!(has(kernel, Memory::Prefetched), "{kernel}: {chosen:?}");
        }
    }
}

macro_rules! of_all_sizes {
    ($method:ident) => {
        of_all_sizes!($method: 1 2 3 4 8 12 16)
    };
    ($method:ident: $($size:literal)*) => {
        run_all(|case, vectors| [$(case.$method::<[u8; $size]>(vectors, &[])),*].concat())
    };
}

#[test]
fn all_kernels_pack_the_same_bytes() {
    check_all_were_chosen(&of_all_sizes!(pack));
}

#[test]
fn all_kernels_unpack_the_same_bytes() {
    check_all_were_chosen(&of_all_sizes!(unpack));
}

#[test]
fn whole_rows_that_lie_together_are_one() {
    use crate::exec::{Redistribution, RuntimePlan};
    let plan = RuntimePlan::<u32, 3>::parse(
        [40, 8, 5],
        "(cyclic(10), *, *) onto 2",
        "(cyclic(2), *, *) onto 2",
    )
    .unwrap();
    // Two indices of the first dimension are 80 elements.
    assert_eq!(plan.binder().packing(0).kernel().kernel, Kernel::Copy);
    let plan =
        RuntimePlan::<u32, 2>::parse([4000, 2], "(cyclic(10), *) onto 2", "(cyclic(2), *) onto 2")
            .unwrap();
    let short = match Vectors::detected() {
        Vectors::Avx512 => Kernel::Permute,
        Vectors::Avx2 => Kernel::Network { run: 16, peers: 2, vectors: Vectors::Avx2 },
        _ => Kernel::Moves { run: 16 },
    };
    assert_eq!(plan.binder().packing(0).kernel().kernel, short);
}

#[test]
fn a_rank_that_holds_none_of_the_moved_section_copies_nothing() {
    use crate::exec::{Redistribution, RuntimePlan};
    for (extents, to) in [
        ([1, 1], "(*, block) onto 2 storage fortran of [2, 1] at [1, 0]"),
        ([2, 1], "(block, *) onto 3"),
    ] {
        let plan = RuntimePlan::<u32, 2>::parse(extents, "(*, *)", to).unwrap();
        for rank in 0..plan.plan().ranks() {
            let unpacking = plan.binder().unpacking(rank);
            let mut local = vec![0; unpacking.local_len()];
            let sent: usize = unpacking.envelopes().iter().map(|envelope| envelope.len).sum();
            let message = vec![7; sent];
            let messages: Vec<&[u32]> =
                unpacking.envelopes().iter().map(|_| message.as_slice()).collect();
            unpacking.unpack(&mut local, &messages);
            assert_eq!(local.iter().sum::<u32>(), 7 * sent as u32, "{to}, rank {rank}");
        }
    }
}

/// A list of its runs would fill any memory.
#[test]
fn the_longest_row_is_not_listed() {
    let plan = Plan::<1>::parse([1 << 40], "block onto 1", "cyclic onto 20").unwrap();
    let program = Program::new(&plan.into(), &[], Side::Source, 0);
    let extent = RowSizes { bytes: 1, unit: 1, array: 1 << 40 };
    let row: RowKernel<ToMessages> =
        RowKernel::new(&program.dims[0], extent, &[], Vectors::detected());
    assert_eq!(row.choice().kernel, Kernel::Tiles);
}

#[test]
fn a_message_that_is_too_short_panics() {
    // A network, or copies of constant length without one.
    for block in [1, 20] {
        too_short_a_message_panics(block);
    }
}

fn too_short_a_message_panics(block: usize) {
    let to = format!("cyclic({block}) onto 4");
    let plan = Plan::<1>::parse([10_000], "cyclic(100) onto 4", &to).unwrap();
    let program = Program::new(&plan.into(), &[], Side::Source, 1);
    let extent = RowSizes { bytes: 4, unit: 1, array: 4 * program.local_len() };
    let row: RowKernel<ToMessages> =
        RowKernel::new(&program.dims[0], extent, &[], Vectors::detected());
    if !row.copies() {
        return assert_eq!((block, row.choice().kernel), (1, Kernel::Tiles));
    }
    let mut buffers: Vec<Vec<u32>> =
        program.envelopes().iter().map(|envelope| vec![0; envelope.len - 1]).collect();
    let mut messages: Vec<&mut [u8]> = buffers.iter_mut().map(|buffer| raw(buffer)).collect();
    let local = vec![0; 4 * program.local_len()];
    let pack = std::panic::AssertUnwindSafe(|| {
        row.pack(&local, &mut messages, |_, _| (), &mut CopiedBytes::default())
    });
    assert!(std::panic::catch_unwind(pack).is_err());
}
