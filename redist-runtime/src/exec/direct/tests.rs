//! Copies of arrays that are cut into tiles and chunks, or that no cache holds. Pins how ranks divide
//! arrays: alike, because they exchange no lists of chunks or tiles.

use super::rows::CopyOptions;
use super::*;
use crate::cache::{LINE_BYTES, Stores, unfenced};
use crate::element::{Element, bytes_of, bytes_of_mut};
use crate::exec::kernels::Vectors;
use crate::exec::transfer::UnpackTo;
use crate::plan::{AnyPlan, Plan, Side};
use crate::program::{Chunks, Grain, Program, RankChunks, Spacing, StridedCopy};
use crate::transport::wire::VERSION;
use crate::transport::{Chunk, Lent};
use core::cell::UnsafeCell;
use core::ops::Range;

const UNTOUCHED: u8 = 0xa5;

fn slices(arrays: &[Vec<u8>]) -> Vec<&[u8]> {
    arrays.iter().map(Vec::as_slice).collect()
}

/// Copies the share of each rank from its own sources.
fn divide(
    plan: &AnyPlan,
    options: CopyOptions,
    sources: impl Fn(usize) -> Vec<Vec<u8>>,
    to: &mut [Vec<u8>],
) {
    let destinations: Vec<&[UnsafeCell<u8>]> =
        to.iter_mut().map(|local| copy::cells(local)).collect();
    for rank in 0..plan.ranks() {
        let sources = sources(rank);
        let lent = Lent { sources: &slices(&sources), destinations: &destinations, ranks: None };
        DirectCopies::divided((plan, None), rank, options).copy_lent(&lent);
    }
}

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
        let ranks = 0..plan.ranks();
        let options = CopyOptions::new(width, Vectors::detected(), None);
        let bytes = |side, rank| width * plan.descriptor(side).local_len(rank);
        let local = |rank: usize| {
            let number = |at: usize| (at / width * 7 + at % width * 31 + rank * 13) as u8 & 0x7f;
            (0..bytes(Side::Source, rank)).map(number).collect()
        };
        let sources: Vec<Vec<u8>> = ranks.clone().map(local).collect();
        let moved = |rank| {
            let mut local = vec![UNTOUCHED; bytes(Side::Destination, rank)];
            DirectCopies::to_own((&plan, None), rank, options).copy(&slices(&sources), &mut local);
            local
        };
        let expected = ranks.map(moved).collect();
        Self { plan, width, sources, expected }
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
                direct.copy(&slices(&self.sources), &mut found[before..]);
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
        let mut found = self.empty();
        divide(&self.plan, options, |_| self.sources.clone(), &mut found);
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
                shown.map(|(rank, source)| self.shown((&rank.own, round), source)).collect();
            let shown: Vec<Chunk<'_>> =
                shown.iter().map(|(number, bytes)| Chunk { number: *number, bytes }).collect();
            for (rank, staged) in ranks.iter_mut().enumerate() {
                let mut shown = shown.clone();
                shown[rank].bytes = &[];
                let to = &mut UnpackTo::Array(&mut found[rank]);
                let stores = [Stores::Streamed, Stores::Cached][round % 2];
                staged.copy_round(&shown, &self.sources[rank], to, stores);
            }
        }
        assert!(found == self.expected, "{:?}, chunks of {longest}, {vectors}", self.plan);
    }

    fn shown(&self, (own, round): (&RankChunks, usize), source: &[u8]) -> (usize, Vec<u8>) {
        let chunk = own.shown(round);
        let mut bytes = vec![UNTOUCHED; chunk.elements.len() * self.width];
        let of_bytes = |part: Range<usize>| part.start * self.width..part.end * self.width;
        own.for_each_read(&chunk, &mut |part| {
            let first = chunk.elements.start;
            bytes[of_bytes(part.start - first..part.end - first)]
                .copy_from_slice(&source[of_bytes(part)]);
        });
        (chunk.number, bytes)
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

/// Bytes of a rank's array, in which each element is told from its neighbours by its global index.
fn numbered(plan: &Plan<1>, side: Side, rank: usize, width: usize) -> Vec<u8> {
    let local = plan.descriptor(side).local(rank);
    let element = |at: usize| {
        let number = local.global_index(at)[0].wrapping_mul(0x9e37_79b9) >> 7;
        (0..width).map(move |byte| (number >> (byte % 4) | byte) as u8)
    };
    (0..local.len()).flat_map(element).collect()
}

#[test]
fn runs_of_every_length_are_copied() {
    // Small blocks, because rounds go together if several take 2 KiB.
    let blocks = [(5, 3), (9, 7), (26, 25)];
    let widths = [1, 2, 3, 4, 8, 12, 16].into_iter();
    for (width, (own, peer)) in widths.flat_map(|width| blocks.map(|blocks| (width, blocks))) {
        let [from, to] = [(own, 3), (peer, 4)].map(|(b, p)| format!("cyclic({b}) onto {p}"));
        let plan = Plan::parse([own * peer * 12 * 20], &from, &to).unwrap();
        let sources: Vec<_> =
            (0..3).map(|rank| numbered(&plan, Side::Source, rank, width)).collect();
        for rank in 0..4 {
            let expected = numbered(&plan, Side::Destination, rank, width);
            let mut local = vec![0; expected.len()];
            RankCopies::new(&plan, rank, width).copy(&slices(&sources), &mut local);
            assert!(local == expected, "{from} to {to}, rank {rank}, {width} bytes an element");
        }
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
        // SAFETY: tests move numbers, for which any bytes are valid.
        let to = unsafe { bytes_of_mut(&mut found) };
        copy_strided(bytes_of(&source), to, strided, size_of::<T>());
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

/// Version of the wire format, and digests of the chunks and tiles of the plans below.
///
/// Programs of different releases compare only the version. If a digest changes, [`VERSION`] must
/// count up, even if all tests of one release pass.
const DIVISIONS: (u64, [[u64; 2]; 7]) = (
    11,
    [
        [0x407391eef15cb161, 0x1f8ef15cf1ee1795],
        [0xf8ce8e6a3928f28d, 0xd7b98e5ef71ac725],
        [0xee33b9eb4bde8421, 0xef379e3216f5a325],
        [0x5473d4b89ccdad55, 0x28506677a8b17725],
        [0xfc94aecee0ed2080, 0xdc35a7122e0aa325],
        [0x21d693860d942228, 0xb34df44ebca7c765],
        [0x6bd7336b43388fbd, 0x3dafcff8e1da55a5],
    ],
);

const TOGETHER: [&str; 2] = ["by all ranks, which divide the array", "all pairs of ranks together"];
const PAIRS: [&str; 2] =
    ["by all ranks, which divide the array", "one pair of ranks after the other"];
const ALONE: [&str; 2] = ["by this rank, from every source", "one pair of ranks after the other"];

const PLANS: [([usize; 2], &str, &str, [&str; 2]); 7] = [
    // Short runs, copied in rows; chunks in the order of the array.
    ([4, 300_003], "(*, cyclic(3)) onto 3", "(*, cyclic(8)) onto 4", TOGETHER),
    // Long runs, pair of ranks by pair of ranks; chunks in turns of receivers.
    ([3, 400_000], "(*, block) onto 2", "(*, cyclic(7000)) onto 4", PAIRS),
    // Transposed, in tiles of another shape.
    ([1200, 1100], "(block, *) onto 2", "(*, block) onto 2 storage fortran", PAIRS),
    // Blocks of different sizes.
    (
        [900, 500],
        "(gen_block([300, 0, 600]), *) onto 3",
        "(cyclic(5), cyclic(30)) onto (2, 2)",
        TOGETHER,
    ),
    // A section, and the source's columns together.
    (
        [1000, 1300],
        "(cyclic(16), cyclic(16)) onto (2, 1) of (9000, 5000) at (37, 1005) storage fortran",
        "(block, *) onto 2",
        PAIRS,
    ),
    // Too small to divide: each rank copies its own destination.
    ([20, 30], "(block, *) onto 2", "(*, cyclic) onto 5", ALONE),
    // As small, but dealt.
    ([3, 10_000], "(*, block) onto 2", "(*, cyclic) onto 2", TOGETHER),
];

fn digest(words: impl Iterator<Item = usize>) -> u64 {
    let bytes = words.flat_map(|word| (word as u64).to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |state, byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn of_chunks(plan: &AnyPlan) -> u64 {
    let (chunks, mut words) = (Chunks::new(plan, 1 << 13), Vec::new());
    for rank in 0..plan.ranks() {
        let program = Program::new(plan, &[], Side::Source, rank);
        let own = chunks.of_rank(plan, &program, rank);
        words.push(own.rounds());
        for round in 0..own.rounds() {
            let elements = own.elements(round);
            words.extend([own.number(round), elements.start, elements.end]);
        }
    }
    digest(words.into_iter())
}

/// Digests the rank that writes each element of all destinations; each copies its number.
fn of_tiles(plan: &AnyPlan, vectors: Vectors) -> u64 {
    let arrays = |side, byte| {
        let local = |rank| vec![byte; 8 * plan.descriptor(side).local_len(rank)];
        (0..plan.ranks()).map(local).collect::<Vec<_>>()
    };
    let mut writers = arrays(Side::Destination, 0);
    let numbers = |rank| arrays(Side::Source, rank as u8 + 1);
    divide(plan, CopyOptions::new(8, vectors, None), numbers, &mut writers);
    digest(
        writers
            .iter()
            .flat_map(|local| local.chunks(8))
            .map(|writer| usize::from_ne_bytes(writer.try_into().expect("8 bytes"))),
    )
}

#[test]
fn divisions_are_those_of_this_version_of_the_wire_format() {
    let found = PLANS.map(|(extents, from, to, how)| {
        let plan = AnyPlan::from(Plan::parse(extents, from, to).unwrap());
        let portable = CopyOptions::new(8, Vectors::Portable, None);
        let words = DirectCopies::divided((&plan, None), 0, portable).in_words();
        assert!(how.iter().all(|how| words.contains(how)), "{from} -> {to}: {words}");
        let tiles = of_tiles(&plan, Vectors::Portable);
        // Ranks on different processors divide alike.
        assert_eq!(of_tiles(&plan, Vectors::detected()), tiles, "{from} -> {to}");
        [of_chunks(&plan), tiles]
    });
    assert_eq!(
        (VERSION, found),
        DIVISIONS,
        "arrays are divided in another way: count up VERSION, if this release has not done so yet, \
         and then write down {:#018x?}",
        (VERSION, found)
    );
}
