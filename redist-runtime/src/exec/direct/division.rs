//! Pins how ranks divide arrays: alike, because they exchange no lists of chunks or tiles.

use super::{CopyOptions, DirectCopies};
use crate::element::bytes_of_mut;
use crate::exec::direct::copy::cells;
use crate::exec::kernels::Vectors;
use crate::plan::{AnyPlan, Plan, Side};
use crate::program::{Chunks, Program};
use crate::transport::Lent;
use crate::transport::wire::VERSION;
use core::cell::UnsafeCell;

/// Version of the wire format, and digests of the chunks and tiles of the plans below.
///
/// Programs of different releases compare only the version. If a digest changes, [`VERSION`] must
/// count up, even if all tests of one release pass.
const DIVISIONS: (u64, [[u64; 2]; 7]) = (
    10,
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
    // Long runs, one pair of ranks after the other; chunks in turns of receivers.
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
    let ranks = 0..plan.ranks();
    let len = |side, rank| plan.descriptor(side).local_len(rank);
    let mut writers: Vec<Vec<u64>> =
        ranks.clone().map(|rank| vec![0; len(Side::Destination, rank)]).collect();
    // SAFETY: any bytes are numbers of 64 bits.
    let bytes = writers.iter_mut().map(|local| unsafe { bytes_of_mut(local.as_mut_slice()) });
    let destinations: Vec<&[UnsafeCell<u8>]> = bytes.map(cells).collect();
    for rank in ranks.clone() {
        // Every byte holds the same number.
        let local = |from| vec![rank as u8 + 1; 8 * len(Side::Source, from)];
        let sources: Vec<Vec<u8>> = ranks.clone().map(local).collect();
        let sources: Vec<&[u8]> = sources.iter().map(Vec::as_slice).collect();
        let lent = Lent { sources: &sources, destinations: &destinations, ranks: None };
        let options = CopyOptions::new(8, vectors, None);
        DirectCopies::divided((plan, None), rank, options).copy_lent(&lent);
    }
    digest(writers.into_iter().flatten().map(|writer| writer as usize))
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
