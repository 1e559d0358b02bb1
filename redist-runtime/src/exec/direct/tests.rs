//! Compares direct copies with messages.

use super::rows::CopyOptions;
use super::*;
use crate::cache::{LINE_BYTES, unfenced};
use crate::element::{Element, bytes_of, bytes_of_mut};
use crate::exec::combine::UnpackTo;
use crate::exec::kernels::Vectors;
use crate::exec::{Redistribution, RuntimePlan};
use crate::plan::{AnyPlan, Side};
use crate::program::{Program, RankChunks, ShownChunk, Spacing, StridedCopy};
use crate::transport::{Chunk, Lent};
use core::cell::UnsafeCell;
use core::fmt;

fn raw<T: Element>(numbers: &mut [T]) -> &mut [u8] {
    // SAFETY: tests move numbers and arrays of numbers, for which any bytes are valid.
    unsafe { bytes_of_mut(numbers) }
}

fn options<T>(vectors: Vectors, (tile, long): (usize, usize)) -> CopyOptions {
    CopyOptions { grain: Grain { tile, long }, ..CopyOptions::new(size_of::<T>(), vectors, None) }
}

fn check<T: Element + PartialEq + fmt::Debug, const D: usize>(
    extents: [usize; D],
    from: &str,
    to: &str,
    value: impl Fn(usize) -> T,
) {
    let plan = RuntimePlan::<T, D>::parse(extents, from, to).unwrap();
    let ranks = 0..plan.plan().ranks();
    // Value that must survive outside the moved section.
    let untouched = |len| vec![value(99); len];
    let local_len = |rank| plan.plan().descriptor(Side::Source).local_len(rank);
    let local =
        |rank| (0..local_len(rank)).map(|index| value(rank * 100_000 + index + 1)).collect();
    let sources: Vec<Vec<T>> = ranks.clone().map(local).collect();
    let slices: Vec<&[u8]> = sources.iter().map(|source| bytes_of(source)).collect();
    let packed: Vec<Vec<(usize, Vec<T>)>> =
        ranks.clone().map(|rank| packed(&plan, rank, &sources[rank])).collect();
    let mut expected = Vec::new();
    for rank in ranks.clone() {
        let unpacking = plan.binder().unpacking(rank);
        let message = |from: usize| {
            &packed[from].iter().find(|(to, _)| *to == rank).expect("it is sent").1[..]
        };
        let messages: Vec<&[T]> =
            unpacking.envelopes().iter().map(|envelope| message(envelope.rank)).collect();
        let mut unpacked = untouched(unpacking.local_len());
        unpacking.unpack(&mut unpacked, &messages);
        for (vectors, (long, offset)) in
            all_vectors().zip([(40, 1), (40, 0), (300, 3), (40, 5), (1, 0)])
        {
            // Shift the array against cache lines.
            let mut around = untouched(offset + unpacked.len() + 1);
            let options = options::<T>(vectors, (1000, long));
            let mut direct = DirectCopies::to_own((&plan.plan().into(), None), rank, options);
            direct.copy(&slices, raw(&mut around[offset..offset + unpacked.len()]));
            assert!(
                around[offset..offset + unpacked.len()] == unpacked,
                "{from} -> {to}, rank {rank}, {vectors}, {long}"
            );
            assert!(
                around[..offset] == untouched(offset)
                    && around[offset + unpacked.len()..] == untouched(1)
            );
        }
        expected.push(unpacked);
    }
    for (vectors, longest) in all_vectors().zip([17, 100, 1000, 5000]) {
        check_chunks((&plan.plan().into(), longest, vectors), &slices, &expected, &value);
    }
    let grains = [(100, 40), (333, 40), (usize::MAX, 40), (100, 1), (usize::MAX, usize::MAX)];
    for (vectors, (tile, long)) in all_vectors().zip(grains) {
        let mut found: Vec<Vec<T>> = expected.iter().map(|local| untouched(local.len())).collect();
        let destinations: Vec<&[UnsafeCell<u8>]> =
            found.iter_mut().map(|local| copy::cells(raw(local))).collect();
        let options = options::<T>(vectors, (tile, long));
        for rank in ranks.clone() {
            let lent = Lent { sources: &slices, destinations: &destinations, ranks: None };
            DirectCopies::divided((&plan.plan().into(), None), rank, options).copy_lent(&lent);
        }
        assert!(
            found == expected,
            "{from} -> {to}, in tiles of {tile}, {long} are long, {vectors}"
        );
    }
}

fn staged_chunk(shown: &ShownChunk, source: &[u8], width: usize) -> (usize, Vec<u8>) {
    let ShownChunk { number, elements, read } = shown;
    let mut bytes = vec![0xa5; elements.len() * width];
    let before = (read.start - elements.start) * width;
    let read = &source[read.start * width..read.end * width];
    bytes[before..before + read.len()].copy_from_slice(read);
    (*number, bytes)
}

fn check_chunks<T: Element + PartialEq>(
    (plan, longest, vectors): (&AnyPlan, usize, Vectors),
    sources: &[&[u8]],
    expected: &[Vec<T>],
    value: &impl Fn(usize) -> T,
) {
    let options = CopyOptions::new(size_of::<T>(), vectors, None);
    let ranks = 0..plan.ranks();
    let staged = |rank: usize| {
        let packing = Program::new(plan, &[], Side::Source, rank);
        Staged::new(plan, rank, options, &packing, longest)
    };
    let mut ranks: Vec<(Staged, RankChunks)> = ranks.map(staged).collect();
    let mut found: Vec<Vec<T>> =
        expected.iter().map(|local| (0..local.len()).map(|_| value(99)).collect()).collect();
    for round in 0..ranks[0].1.rounds() {
        let shown: Vec<(usize, Vec<u8>)> = ranks
            .iter()
            .zip(sources)
            .map(|((_, own), source)| staged_chunk(&own.shown(round), source, options.width))
            .collect();
        let shown: Vec<Chunk<'_>> =
            shown.iter().map(|(number, bytes)| Chunk { number: *number, bytes }).collect();
        for (rank, (staged, own)) in ranks.iter_mut().enumerate() {
            let mut shown = shown.clone();
            shown[rank].bytes = &[];
            let to = &mut UnpackTo::Array(raw(&mut found[rank]));
            staged.copy_round(&shown, (sources[rank], own), to);
        }
    }
    assert!(found == expected, "{plan:?}, chunks of {longest}, {vectors}");
}

fn all_vectors() -> impl Iterator<Item = Vectors> {
    let mut levels: Vec<_> = Vectors::runnable().collect();
    levels.reverse();
    let all = levels.len();
    levels.into_iter().cycle().take(2 * all)
}

fn packed<T: Element, const D: usize>(
    plan: &RuntimePlan<T, D>,
    rank: usize,
    local: &[T],
) -> Vec<(usize, Vec<T>)> {
    let packing = plan.binder().packing(rank);
    let mut messages: Vec<Vec<T>> =
        packing.envelopes().iter().map(|to| vec![T::ZERO; to.len]).collect();
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
    check_sizes([8_003], "cyclic(10) onto 3", "cyclic(2) onto 4");
    check_sizes([8_003], "block onto 4", "cyclic onto 4");
    check_sizes([8_003], "cyclic onto 4", "block onto 3");
    check_sizes([10_007], "cyclic(2) onto 3", "cyclic(10) onto 4 of [12000] at [7]");
    check_sizes([8_003], "cyclic(200) onto 2", "cyclic(2) onto 4");
    check_sizes([6_003], "cyclic(2) onto 2", "cyclic(201) onto 3");
    check_sizes([5_003], "cyclic(3) onto 4", "cyclic(5) onto 2");
    check_sizes([3_003], "cyclic(2) onto 4", "cyclic(2) onto 4");
    check_sizes([3_003], "block onto 1", "cyclic(7) onto 16");
    check_sizes([5_003], "gen_block([3000, 0, 2003]) onto 3", "cyclic(3) onto 4");
    check_sizes([5_001], "block onto 2", "block onto 3");
    check_sizes([5_003], "cyclic(63) onto 2", "cyclic(64) onto 3");
    let sections = (
        "(cyclic(16), cyclic(16)) onto (2, 2) of [300, 200] at [37, 5]",
        "(cyclic(30), block) onto (2, 2)",
    );
    check_sizes([150, 190], sections.0, sections.1);
    check_sizes([150, 190], sections.0, &format!("{} storage fortran", sections.1));
    let tiles =
        ["(cyclic(8), cyclic(6)) onto (2, 3)", "(cyclic(5), cyclic(7)) onto (3, 2) order col"];
    for storage in ["", " storage fortran"] {
        let [from, to] = tiles.map(|side| format!("{side}{storage}"));
        check_sizes([150, 130], &from, &to);
        check_sizes([150, 130], &to, &from);
    }
    check_sizes(
        [60, 7, 20],
        "(cyclic(3), *, cyclic(2)) onto (2, 2) storage fortran",
        "(*, block, cyclic(4)) onto (2, 2) first (1, 0) storage fortran axes (1, 0, 2)",
    );
    check_sizes(
        [20, 6, 70],
        "(cyclic(2), *, cyclic(3)) onto (2, 2)",
        "(block, cyclic, cyclic(4)) onto (1, 2, 2)",
    );
    check_sizes([97, 83], "(block, *) onto 3", "(block, *) onto 4 transposed");
    check_sizes([160, 192], "(block, *) onto 2", "(block, *) onto 3 transposed");
    check_sizes(
        [97, 83],
        "(cyclic, cyclic) onto (2, 2)",
        "(cyclic, cyclic) onto (2, 2) transposed",
    );
    check_sizes(
        [9, 40, 33],
        "(*, block, cyclic) onto (2, 2) storage fortran",
        "(cyclic(3), *, *) onto 2 axes (2, 0, 1)",
    );
    check_sizes([40, 9], "(gen_block([30, 0, 10]), *) onto 3", "(*, cyclic(2)) onto 2");
}

fn check_transposition<T: Element + PartialEq>(value: impl Fn(usize) -> T) {
    let (rows, columns) = (40, 37);
    let source: Vec<T> = (0..rows * columns).map(|index| value(index + 1)).collect();
    let mut found = vec![T::ZERO; copy::MIN_STREAMED_BYTES / size_of::<T>()];
    for (start, stride) in [(0, 128), (5, 64), (3, 47)] {
        let (used, end) = (start..start + rows * stride, start + rows * stride + 100);
        found[..end].fill(T::ZERO);
        let inner = Spacing { count: columns, source: rows, destination: 1 };
        let outer = Spacing { count: rows, source: 1, destination: stride };
        let strided = StridedCopy { source: 0, destination: start, len: 1, inner, outer };
        copy_strided(bytes_of(&source), raw(&mut found), strided, size_of::<T>());
        for (index, element) in found[..end].iter().enumerate() {
            let (row, column) =
                (index.wrapping_sub(start) / stride, index.wrapping_sub(start) % stride);
            let is_moved = used.contains(&index) && column < columns;
            let expected = if is_moved { source[row + column * rows] } else { T::ZERO };
            assert!(
                *element == expected,
                "{} bytes, from {start}, {stride} apart: {index}",
                size_of::<T>()
            );
        }
    }
}

#[test]
fn large_arrays_are_transposed_past_the_caches() {
    unfenced::take();
    check_transposition(|value| value as u32);
    check_transposition(|value| value as f64);
    check_transposition(|value| value as u128);
    let (fenced, without) = unfenced::take();
    assert!(fenced > 0 && without == 0, "{fenced} stores before a fence, {without} without one");
}

fn check_long_runs(len: usize, apart: usize) {
    let runs = 5;
    let source: Vec<u8> = (0..3 + runs * len).map(|index| (index % 251) as u8 + 1).collect();
    let mut found = vec![0; copy::MIN_LARGE_BYTES];
    for start in 0..LINE_BYTES {
        let end = start + runs * apart + LINE_BYTES;
        found[..end].fill(0);
        let inner = Spacing { count: runs, source: len, destination: apart };
        let strided = StridedCopy { inner, ..StridedCopy::run(3, start, len) };
        copy_strided(&source, &mut found, strided, 1);
        let mut expected = vec![0; end];
        for (run, bytes) in source[3..].chunks(len).enumerate() {
            expected[start + run * apart..][..len].copy_from_slice(bytes);
        }
        assert!(found[..end] == expected, "{len} bytes, {apart} apart, from {start}");
    }
}

#[test]
fn long_runs_to_large_arrays_go_past_the_caches() {
    unfenced::take();
    check_long_runs(1024, 1024);
    check_long_runs(1027, 1100);
    check_long_runs(256, 333);
    let (fenced, without) = unfenced::take();
    assert!(fenced > 0 && without == 0, "{fenced} stores before a fence, {without} without one");
    check_long_runs(1000, 1000);
    assert_eq!(unfenced::take(), (0, 0), "runs that share many lines");
}
