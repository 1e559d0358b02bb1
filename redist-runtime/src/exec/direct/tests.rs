//! Copies of arrays that are cut into tiles and chunks, or that no cache holds.

use super::rows::CopyOptions;
use super::*;
use crate::cache::{LINE_BYTES, unfenced};
use crate::element::{Element, bytes_of, bytes_of_mut};
use crate::exec::combine::UnpackTo;
use crate::exec::kernels::Vectors;
use crate::plan::{AnyPlan, Plan, Side};
use crate::program::{Program, ShownChunk, Spacing, StridedCopy};
use crate::transport::{Chunk, Lent};
use core::cell::UnsafeCell;

fn raw<T: Element>(numbers: &mut [T]) -> &mut [u8] {
    // SAFETY: tests move numbers, for which any bytes are valid.
    unsafe { bytes_of_mut(numbers) }
}

const UNTOUCHED: u8 = 0xa5;

/// Copies by grains, instructions and chunks that a small array does not have.
struct Case {
    plan: AnyPlan,
    width: usize,
    sources: Vec<Vec<u8>>,
    expected: Vec<Vec<u8>>,
}

impl Case {
    fn new<const D: usize>(extents: [usize; D], from: &str, to: &str, width: usize) -> Self {
        let plan = AnyPlan::from(Plan::parse(extents, from, to).unwrap());
        let bytes = |side, rank| width * plan.descriptor(side).local_len(rank);
        let local = |rank: usize| {
            let number = |at: usize| (at / width * 7 + at % width * 31 + rank * 13) as u8 & 0x7f;
            (0..bytes(Side::Source, rank)).map(number).collect()
        };
        let sources: Vec<Vec<u8>> = (0..plan.ranks()).map(local).collect();
        let expected = |rank| vec![UNTOUCHED; bytes(Side::Destination, rank)];
        let mut expected: Vec<_> = (0..plan.ranks()).map(expected).collect();
        let mut case = Self { plan, width, sources, expected: Vec::new() };
        for (rank, local) in expected.iter_mut().enumerate() {
            let options = CopyOptions::new(width, Vectors::detected(), None);
            DirectCopies::to_own((&case.plan, None), rank, options).copy(&case.slices(), local);
        }
        case.expected = expected;
        case
    }

    fn slices(&self) -> Vec<&[u8]> {
        self.sources.iter().map(Vec::as_slice).collect()
    }

    fn options(&self, vectors: Vectors, (tile, long): (usize, usize)) -> CopyOptions {
        CopyOptions { grain: Grain { tile, long }, ..CopyOptions::new(self.width, vectors, None) }
    }

    fn empty(&self) -> Vec<Vec<u8>> {
        self.expected.iter().map(|local| vec![UNTOUCHED; local.len()]).collect()
    }

    fn check(&self) {
        for (rank, expected) in self.expected.iter().enumerate() {
            for (vectors, (long, shift)) in
                all_vectors().zip([(40, 1), (40, 0), (300, 3), (40, 5), (1, 0)])
            {
                // Shift the array against cache lines.
                let (before, options) = (shift * self.width, self.options(vectors, (1000, long)));
                let mut found = vec![UNTOUCHED; before + expected.len()];
                let mut direct = DirectCopies::to_own((&self.plan, None), rank, options);
                direct.copy(&self.slices(), &mut found[before..]);
                assert!(found[before..] == expected[..], "{:?}, {rank}, {vectors}", self.plan);
            }
        }
        let grains = [(100, 40), (333, 40), (usize::MAX, 40), (100, 1), (usize::MAX, usize::MAX)];
        for (vectors, grain) in all_vectors().zip(grains) {
            self.check_divided(self.options(vectors, grain));
        }
        for (vectors, longest) in all_vectors().zip([17, 100, 1000, 5000]) {
            self.check_chunks(longest, vectors);
        }
    }

    fn check_divided(&self, options: CopyOptions) {
        let (mut found, slices) = (self.empty(), self.slices());
        let destinations: Vec<&[UnsafeCell<u8>]> =
            found.iter_mut().map(|local| copy::cells(local)).collect();
        for rank in 0..self.plan.ranks() {
            let lent = Lent { sources: &slices, destinations: &destinations, ranks: None };
            DirectCopies::divided((&self.plan, None), rank, options).copy_lent(&lent);
        }
        assert!(found == self.expected, "{:?}, divided, {options:?}", self.plan);
    }

    fn check_chunks(&self, longest: usize, vectors: Vectors) {
        let options = CopyOptions::new(self.width, vectors, None);
        let staged = |rank: usize| {
            let packing = Program::new(&self.plan, &[], Side::Source, rank);
            Staged::new(&self.plan, rank, options, &packing, longest)
        };
        let mut ranks: Vec<Staged> = (0..self.plan.ranks()).map(staged).collect();
        let mut found = self.empty();
        for round in 0..ranks[0].own.rounds() {
            let shown = ranks.iter().zip(&self.sources);
            let shown: Vec<(usize, Vec<u8>)> =
                shown.map(|(rank, source)| self.shown(&rank.own.shown(round), source)).collect();
            let shown: Vec<Chunk<'_>> =
                shown.iter().map(|(number, bytes)| Chunk { number: *number, bytes }).collect();
            for (rank, staged) in ranks.iter_mut().enumerate() {
                let mut shown = shown.clone();
                shown[rank].bytes = &[];
                let to = &mut UnpackTo::Array(&mut found[rank]);
                staged.copy_round(&shown, &self.sources[rank], to);
            }
        }
        assert!(found == self.expected, "{:?}, chunks of {longest}, {vectors}", self.plan);
    }

    fn shown(&self, shown: &ShownChunk, source: &[u8]) -> (usize, Vec<u8>) {
        let ShownChunk { number, elements, read } = shown;
        let mut bytes = vec![UNTOUCHED; elements.len() * self.width];
        let before = (read.start - elements.start) * self.width;
        let read = &source[read.start * self.width..read.end * self.width];
        bytes[before..before + read.len()].copy_from_slice(read);
        (*number, bytes)
    }
}

fn all_vectors() -> impl Iterator<Item = Vectors> {
    let mut levels: Vec<_> = Vectors::runnable().collect();
    levels.reverse();
    let all = levels.len();
    levels.into_iter().cycle().take(2 * all)
}

#[test]
fn grains_instructions_and_chunks_change_nothing() {
    for width in [1, 4, 8, 16, 6, 72] {
        Case::new([8_003], "cyclic(10) onto 3", "cyclic(2) onto 4", width).check();
        Case::new([8_003], "block onto 4", "cyclic onto 3", width).check();
        Case::new([6_003], "cyclic(2) onto 2", "cyclic(201) onto 3", width).check();
        let to = "cyclic(10) onto 4 of [12000] at [7]";
        Case::new([10_007], "cyclic(2) onto 3", to, width).check();
        Case::new([5_003], "gen_block([3000, 0, 2003]) onto 3", "cyclic(3) onto 4", width).check();
        let tiles = "(cyclic(5), cyclic(7)) onto (3, 2) order col";
        Case::new([150, 130], "(cyclic(8), cyclic(6)) onto (2, 3)", tiles, width).check();
        Case::new([160, 192], "(block, *) onto 2", "(block, *) onto 3 transposed", width).check();
        let to = "(block, cyclic, cyclic(4)) onto (1, 2, 2)";
        Case::new([20, 6, 70], "(cyclic(2), *, cyclic(3)) onto (2, 2)", to, width).check();
    }
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
