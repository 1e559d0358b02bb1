//! Kernels by tables of layouts, of which the seed draws some.

use crate::cases::{Known, is_drawn};
use crate::kernels::{Used, every_width, of_width};
use crate::moves;

const BLOCKS: [(usize, usize); 10] =
    [(1, 64), (1, 5), (2, 10), (4, 100), (1, 37), (1, 50), (4, 6), (10, 4), (30, 64), (7, 1000)];

const MANY_MESSAGES: [(usize, [usize; 3]); 4] =
    [(5, [7, 10, 47]), (9, [9, 16, 100]), (16, [25, 32, 200]), (33, [34, 65, 300])];

const LINES: [(usize, &str, &str); 19] = [
    (2000, "gen_block([600, 0, 1200, 200]) onto 4", "cyclic(7) onto 3 first 1"),
    (900, "cyclic(16) onto 2 of [1280] at [37]", "cyclic(7) onto 3"),
    (1500, "cyclic onto 2", "cyclic(10) onto 70"),
    (6100, "cyclic(1000) onto 2", "cyclic(3000) onto 3"),
    (1003, "cyclic(2) onto 3", "cyclic(10) onto 2"),
    (1003, "cyclic(40) onto 3", "cyclic(60) onto 5 first 2"),
    (777, "block onto 4", "cyclic onto 3"),
    (1003, "cyclic(10) onto 3", "cyclic(2) onto 3"),
    (1003, "cyclic(3) onto 5", "cyclic(7) onto 4 first 2"),
    (50, "block onto 7", "cyclic onto 30"),
    (200, "cyclic(4) onto 2 of [300] at [55]", "cyclic(6) onto 3 of [220] at [13]"),
    (97, "gen_block([30, 0, 60, 7]) onto 4", "cyclic(7) onto 3 first 1"),
    (97, "cyclic(3) onto 5", "gen_block([30, 0, 60, 12]) onto 4 of [102] at [3]"),
    (1003, "cyclic(4) onto 3", "cyclic(6) onto 2 first 1"),
    (1003, "cyclic(63) onto 2", "cyclic(64) onto 3"),
    (50, "cyclic(30) onto 3", "cyclic(21) onto 2"),
    (97, "cyclic(2) onto 4 first 3", "cyclic(9) onto 5"),
    (40, "block onto 3", "block onto 7"),
    (2003, "gen_block([1000, 3, 1000]) onto 3", "cyclic(5) onto 3"),
];

fn lines() -> Vec<(usize, String, String)> {
    let cyclic = |block: usize, ranks: usize| format!("cyclic({block}) onto {ranks}");
    let mut lines = LINES.map(|(extent, from, to)| (extent, from.into(), to.into())).to_vec();
    for ranks in [2, 3, 4, 8, 16] {
        let extent = 403 * ranks;
        let blocks = BLOCKS.iter().map(|(from, to)| (cyclic(*from, ranks), cyclic(*to, ranks)));
        lines.extend(blocks.map(|(from, to)| (extent, from, to)));
        lines.push((extent, "block onto 3".into(), cyclic(1, ranks)));
        lines.push((extent, cyclic(3, ranks), "block onto 2".into()));
        let first = format!("cyclic(3) onto {ranks} first 1");
        lines.push((extent, first, "cyclic(7) onto 4 first 2".into()));
    }
    for (ranks, blocks) in MANY_MESSAGES {
        for (block, small) in blocks.into_iter().flat_map(|block| [(block, 1), (block, 2)]) {
            let extent = small * ((21 * ranks + 2) * block - 5);
            lines.push((extent, cyclic(block * small, ranks), cyclic(small, ranks)));
        }
    }
    lines
}

#[test]
fn lines_of_the_table() {
    let there_and_back = |(extent, from, to): (usize, String, String)| {
        [(extent, from.clone(), to.clone()), (extent, to, from)]
    };
    for (number, (extent, from, to)) in lines().into_iter().flat_map(there_and_back).enumerate() {
        if is_drawn(number, 13) {
            every_width(&Known::of([extent], &from, &to), &mut Used::default());
        }
    }
}

#[test]
fn runs_of_every_length() {
    let lens = (1..=260).flat_map(|len| [(len, 3), (len, 36)]);
    for (_, (len, blocks)) in lens.enumerate().filter(|(number, _)| is_drawn(*number, 13)) {
        let (long, short) =
            (format!("cyclic({}) onto 2", 2 * len), format!("cyclic({len}) onto 2"));
        for (from, to) in [(&long, &short), (&short, &long)] {
            of_width::<1, 1>(&Known::of([4 * len * blocks], from, to), &mut Used::default());
        }
    }
}

const PLANES: [([usize; 2], &str, &str); 13] = [
    ([1, 1], "(*, *)", "(*, block) onto 2 storage fortran of [2, 1] at [1, 0]"),
    ([2, 1], "(*, *)", "(block, *) onto 3"),
    ([60, 70], "(cyclic(3), cyclic(2)) onto (2, 3)", "(cyclic(5), block) onto (3, 2) transposed"),
    (
        [50, 20],
        "(cyclic(16), cyclic(16)) onto (2, 2) of [128, 64] at [37, 5]",
        "(cyclic(7), block) onto (2, 2)",
    ),
    ([4000, 2], "(cyclic(10), *) onto 2", "(cyclic(2), *) onto 2"),
    (
        [91, 140],
        "(cyclic(30), cyclic(17)) onto (2, 2)",
        "(cyclic(10), cyclic(23)) onto (2, 3) storage fortran",
    ),
    (
        [150, 70],
        "(cyclic(24), block) onto (2, 3)",
        "(block, cyclic(12)) onto (3, 2) first (1, 1) transposed",
    ),
    (
        [64, 64],
        "(cyclic(25), *) onto 2 of [90, 80] at [11, 5]",
        "(*, block) onto 4 storage fortran",
    ),
    ([90, 90], "(cyclic(2), cyclic(2)) onto (2, 2)", "(cyclic, cyclic(3)) onto (2, 2) transposed"),
    ([90, 90], "(cyclic(9), block) onto (2, 2)", "(block, cyclic(9)) onto (2, 2)"),
    ([2, 3], "(block, *) onto 2", "(*, cyclic) onto 2 transposed"),
    ([60, 7], "(block, *) onto 2", "(cyclic(5), *) onto 3 storage fortran"),
    ([50, 31], "(cyclic(3), block) onto (2, 2)", "(cyclic(2), cyclic(7)) onto (3, 2) transposed"),
];

const SPACES: [([usize; 3], &str, &str); 4] = [
    (
        [9, 14, 5],
        "(block, *, cyclic) onto (2, 2) storage fortran",
        "(*, cyclic(3), cyclic(2)) onto (2, 2)",
    ),
    (
        [37, 14, 29],
        "(block, cyclic, *) onto (2, 3)",
        "(block, cyclic(3), cyclic(9)) onto (2, 2, 1) storage fortran",
    ),
    (
        [30, 41, 20],
        "(*, cyclic(11), block) onto (2, 2)",
        "(cyclic(8), *, block) onto (2, 2) axes (2, 0, 1)",
    ),
    ([40, 8, 5], "(cyclic(10), *, *) onto 2", "(cyclic(2), *, *) onto 2"),
];

#[test]
fn planes_and_spaces_of_the_tables() {
    for (number, (extents, from, to)) in PLANES.into_iter().enumerate() {
        if is_drawn(number, 3) {
            every_width(&Known::of(extents, from, to), &mut Used::default());
        }
    }
    for (number, (extents, from, to)) in SPACES.into_iter().enumerate() {
        if is_drawn(number, 3) {
            every_width(&Known::of(extents, from, to), &mut Used::default());
        }
    }
}

const MOVED_LINES: [(usize, &str, &str); 12] = [
    (8003, "cyclic(10) onto 3", "cyclic(2) onto 4"),
    (8003, "block onto 4", "cyclic onto 4"),
    (8003, "cyclic onto 4", "block onto 3"),
    (10007, "cyclic(2) onto 3", "cyclic(10) onto 4 of [12000] at [7]"),
    (8003, "cyclic(200) onto 2", "cyclic(2) onto 4"),
    (6003, "cyclic(2) onto 2", "cyclic(201) onto 3"),
    (5003, "cyclic(3) onto 4", "cyclic(5) onto 2"),
    (3003, "cyclic(2) onto 4", "cyclic(2) onto 4"),
    (3003, "block onto 1", "cyclic(7) onto 16"),
    (5003, "gen_block([3000, 0, 2003]) onto 3", "cyclic(3) onto 4"),
    (5001, "block onto 2", "block onto 3"),
    (5003, "cyclic(63) onto 2", "cyclic(64) onto 3"),
];

const STORED: &str = "(cyclic(16), cyclic(16)) onto (2, 2) of [300, 200] at [37, 5]";

const MOVED_PLANES: [([usize; 2], &str, &str); 10] = [
    ([150, 190], STORED, "(cyclic(30), block) onto (2, 2)"),
    ([150, 190], STORED, "(cyclic(30), block) onto (2, 2) storage fortran"),
    (
        [150, 130],
        "(cyclic(8), cyclic(6)) onto (2, 3)",
        "(cyclic(5), cyclic(7)) onto (3, 2) order col",
    ),
    (
        [150, 130],
        "(cyclic(5), cyclic(7)) onto (3, 2) order col",
        "(cyclic(8), cyclic(6)) onto (2, 3)",
    ),
    (
        [150, 130],
        "(cyclic(8), cyclic(6)) onto (2, 3) storage fortran",
        "(cyclic(5), cyclic(7)) onto (3, 2) order col storage fortran",
    ),
    (
        [150, 130],
        "(cyclic(5), cyclic(7)) onto (3, 2) order col storage fortran",
        "(cyclic(8), cyclic(6)) onto (2, 3) storage fortran",
    ),
    ([97, 83], "(block, *) onto 3", "(block, *) onto 4 transposed"),
    ([160, 192], "(block, *) onto 2", "(block, *) onto 3 transposed"),
    ([97, 83], "(cyclic, cyclic) onto (2, 2)", "(cyclic, cyclic) onto (2, 2) transposed"),
    ([40, 9], "(gen_block([30, 0, 10]), *) onto 3", "(*, cyclic(2)) onto 2"),
];

const MOVED_SPACES: [([usize; 3], &str, &str); 3] = [
    (
        [60, 7, 20],
        "(cyclic(3), *, cyclic(2)) onto (2, 2) storage fortran",
        "(*, block, cyclic(4)) onto (2, 2) first (1, 0) storage fortran axes (1, 0, 2)",
    ),
    (
        [20, 6, 70],
        "(cyclic(2), *, cyclic(3)) onto (2, 2)",
        "(block, cyclic, cyclic(4)) onto (1, 2, 2)",
    ),
    (
        [9, 40, 33],
        "(*, block, cyclic) onto (2, 2) storage fortran",
        "(cyclic(3), *, *) onto 2 axes (2, 0, 1)",
    ),
];

#[test]
fn moves_of_the_tables() {
    for (number, (extent, from, to)) in MOVED_LINES.into_iter().enumerate() {
        if is_drawn(number, 3) {
            moves::every_way(&Known::of([extent], from, to));
        }
    }
    for (number, (extents, from, to)) in MOVED_PLANES.into_iter().enumerate() {
        if is_drawn(number, 3) {
            moves::every_way(&Known::of(extents, from, to));
        }
    }
    for (number, (extents, from, to)) in MOVED_SPACES.into_iter().enumerate() {
        if is_drawn(number, 3) {
            moves::every_way(&Known::of(extents, from, to));
        }
    }
}
