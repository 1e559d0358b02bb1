//! Kernels touch nothing outside of arrays and messages.

use crate::cases::{Known, each_until};
use crate::elements::{empty, held};
use redist::exec::{Binder, Kernel, KernelChoice, Packing, Unpacking, Vectors};
use redist::{Redistribution, Side, TypedPlan, redistribute};
use redist_testing::guarded::{Flush, Guarded, noting};
use redist_testing::strategies::{Case, awkward_cases_on, long_lines};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::{Discriminant, discriminant};

#[derive(Default)]
pub struct Used {
    sorts: Vec<Discriminant<Kernel>>,
    memory: BTreeSet<String>,
    networks: BTreeSet<Vectors>,
    written: BTreeSet<Vectors>,
}

impl Used {
    fn note(&mut self, kernel: KernelChoice) {
        if !self.sorts.contains(&discriminant(&kernel.kernel)) {
            self.sorts.push(discriminant(&kernel.kernel));
        }
        self.memory.insert(kernel.memory.to_string());
        match kernel.kernel {
            Kernel::Network { vectors, .. } => self.networks.insert(vectors),
            Kernel::Compiled { vectors } => self.written.insert(vectors),
            _ => false,
        };
    }

    fn has(&self, kernel: Kernel) -> bool {
        self.sorts.contains(&discriminant(&kernel))
    }
}

fn packed<const N: usize, const D: usize>(
    known: &Known<D>,
    packing: impl Fn(usize) -> Packing<[u8; N]>,
    (flush, used): (Flush, &mut Used),
) -> BTreeMap<(usize, usize), Guarded<[u8; N]>> {
    let mut all = BTreeMap::new();
    for rank in 0..known.ranks() {
        let packing = packing(rank);
        used.note(packing.kernel());
        let local = held::<N>(rank, packing.local_len(), flush);
        let mut messages: Vec<_> =
            packing.envelopes().iter().map(|to| empty::<N>(to.len, flush)).collect();
        let mut slices: Vec<&mut [[u8; N]]> = messages.iter_mut().map(|to| &mut **to).collect();
        packing.pack(&local, &mut slices);
        for (to, message) in packing.envelopes().iter().zip(messages) {
            assert_eq!(message[..], known.message::<N>(rank, to.rank), "{:?}", known.case);
            all.insert((rank, to.rank), message);
        }
    }
    all
}

fn unpacks<const N: usize, const D: usize>(
    known: &Known<D>,
    unpacking: impl Fn(usize) -> Unpacking<[u8; N]>,
    packed: &BTreeMap<(usize, usize), Guarded<[u8; N]>>,
    (flush, used): (Flush, &mut Used),
) {
    for rank in 0..known.ranks() {
        let unpacking = unpacking(rank);
        used.note(unpacking.kernel());
        let messages: Vec<&[[u8; N]]> =
            unpacking.envelopes().iter().map(|from| &*packed[&(from.rank, rank)]).collect();
        let mut together = empty::<N>(unpacking.local_len(), flush);
        unpacking.unpack(&mut together, &messages);
        let mut alone = empty::<N>(unpacking.local_len(), flush);
        for (number, message) in messages.iter().enumerate().rev() {
            unpacking.unpack_message(&mut alone, number, message);
        }
        let expected = known.moved::<N>(rank);
        assert_eq!(together[..], expected, "{:?}, rank {rank}", known.case);
        assert_eq!(alone[..], expected, "{:?}, rank {rank}, one by one", known.case);
    }
}

pub fn every_way<const N: usize, const D: usize, R>(known: &Known<D>, plan: &R, used: &mut Used)
where
    R: Redistribution<D, Element = [u8; N]>,
{
    for vectors in Vectors::runnable() {
        let binder = || -> Binder<'_, R, D> { plan.binder().max_vectors(vectors) };
        for flush in Flush::BOTH {
            let words = format!("{:?}, {N} bytes, {vectors}, flush {flush:?}", known.case);
            noting(&words, || {
                let packed = packed(known, |rank| binder().packing(rank), (flush, used));
                unpacks(known, |rank| binder().unpacking(rank), &packed, (flush, used));
            });
        }
    }
}

pub fn of_width<const N: usize, const D: usize>(known: &Known<D>, used: &mut Used) {
    every_way::<N, D, _>(known, &TypedPlan::<[u8; N], D>::from(known.plan), used);
}

pub fn every_width<const D: usize>(known: &Known<D>, used: &mut Used) {
    of_width::<1, D>(known, used);
    of_width::<2, D>(known, used);
    of_width::<3, D>(known, used);
    of_width::<4, D>(known, used);
    of_width::<5, D>(known, used);
    of_width::<7, D>(known, used);
    of_width::<8, D>(known, used);
    of_width::<12, D>(known, used);
    of_width::<16, D>(known, used);
}

redistribute! {
    struct BytesKr: [[u8; 1]; 2003] { from: cyclic(12) onto 5, to: cyclic(3) onto 4 }
    struct BytesRk: [[u8; 1]; 2000] { from: cyclic(5) onto 3, to: cyclic(10) onto 3 }
    struct Quads: [[u8; 4]; 1003] { from: cyclic(4) onto 3, to: cyclic(6) onto 5 first 2 }
    struct Words: [[u8; 4]; 1511] { from: cyclic(5) onto 3, to: cyclic onto 3 }
    struct Rounds: [[u8; 8]; 2003] { from: cyclic(300) onto 2, to: cyclic(3) onto 3 first 1 }
    struct Planes: [[u8; 2]; 61, 40] {
        from: (cyclic(8), cyclic(5)) onto (3, 2),
        to: (cyclic(2), *) onto 4 storage fortran,
    }
    struct Sections: [[u8; 8]; 50, 20] {
        from: (cyclic(16), cyclic(8)) onto (2, 2) of [128, 64] at [37, 5],
        to: (cyclic(7), cyclic(4)) onto (3, 2) first (1, 1) ranks 2..8 of [30, 60] at [7, 3] transposed,
    }
}

fn of_item<const N: usize, const D: usize>(
    item: &impl Redistribution<D, Element = [u8; N]>,
    used: &mut Used,
) {
    let plan = item.plan();
    let layout = |side| plan.descriptor(side).layout();
    let (from, to) = (layout(Side::Source), layout(Side::Destination));
    let known = Known::new(Case { extents: plan.extents(), from: *from, to: *to });
    every_way::<N, D, _>(&known, item, used);
}

#[test]
fn items_of_the_macro() {
    let mut used = Used::default();
    of_item(&BytesKr::new(), &mut used);
    of_item(&BytesKr::new().inverse(), &mut used);
    of_item(&BytesRk::new(), &mut used);
    of_item(&BytesRk::new().inverse(), &mut used);
    of_item(&Quads::new(), &mut used);
    of_item(&Quads::new().inverse(), &mut used);
    of_item(&Words::new(), &mut used);
    of_item(&Words::new().inverse(), &mut used);
    of_item(&Rounds::new(), &mut used);
    of_item(&Rounds::new().inverse(), &mut used);
    of_item(&Planes::new(), &mut used);
    of_item(&Sections::new(), &mut used);
    // Processors with only SSE2 copy runs, as any do.
    let expected: BTreeSet<Vectors> =
        Vectors::runnable().filter(|one| *one != Vectors::Sse2).collect();
    assert_eq!(used.written, expected, "code for these blocks, by all instructions");
}

#[test]
fn lines() {
    let mut used = Used::default();
    let is_enough = |used: &Used| used.has(Kernel::Table) || used.has(Kernel::Copy);
    each_until(24, awkward_cases_on::<1>(6), |known| {
        every_width(known, &mut used);
        is_enough(&used)
    });
    assert!(is_enough(&used), "something was copied");
}

#[test]
fn planes() {
    let mut used = Used::default();
    let is_enough = |used: &Used| used.has(Kernel::Elements);
    each_until(24, awkward_cases_on::<2>(8), |known| {
        every_width(known, &mut used);
        is_enough(&used)
    });
    assert!(is_enough(&used), "some strided elements were copied");
}

#[test]
fn spaces() {
    let mut used = Used::default();
    let is_enough = |used: &Used| used.has(Kernel::Elements);
    each_until(16, awkward_cases_on::<3>(8), |known| {
        every_width(known, &mut used);
        is_enough(&used)
    });
    assert!(is_enough(&used), "some strided elements were copied");
}

#[test]
fn squares() {
    let mut used = Used::default();
    for (from, to) in [
        ("(cyclic(30), cyclic(17)) onto (2, 2)", "(cyclic(10), block) onto (2, 1) storage fortran"),
        ("(cyclic(24), block) onto (2, 1)", "(block, cyclic(12)) onto (3, 1) transposed"),
    ] {
        every_width(&Known::of([91, 70], from, to), &mut used);
    }
    assert!(used.has(Kernel::Squares), "some elements were transposed");
}

#[test]
fn long_lines_by_every_kernel() {
    let mut used = Used::default();
    let networks = Kernel::Network { run: 0, peers: 0, vectors: Vectors::Sse2 };
    let most = Vectors::detected();
    let kernels = [
        (Kernel::Copy, Vectors::Portable),
        (Kernel::Table, Vectors::Portable),
        (Kernel::Moves { run: 0 }, Vectors::Portable),
        (Kernel::Tiles, Vectors::Portable),
        (networks, Vectors::Sse2),
        (Kernel::Permute, Vectors::Avx512),
        (Kernel::Masked, Vectors::Avx512),
    ];
    let has = |used: &Used, (kernel, from)| used.has(kernel) || from > most;
    // Other networks do not prefetch in such small arrays.
    let expected = if most >= Vectors::Avx512 { 2 } else { 1 };
    each_until(40, long_lines(), |known| {
        every_width(known, &mut used);
        used.memory.len() >= expected && kernels.into_iter().all(|kernel| has(&used, kernel))
    });
    for (kernel, from) in kernels {
        assert!(has(&used, (kernel, from)), "{kernel} was not used");
    }
    assert!(used.memory.len() >= expected, "{:?}", used.memory);
}
