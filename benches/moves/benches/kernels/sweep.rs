//! Cases of the bench of kernels.

use crate::asked::Asked;
use crate::case::{packing, unpacking};
use crate::items::{Static, of_f32, of_f64, of_u8, of_u16};
use redist::{Element, Plan};
use redist_measuring::Method;

/// Bytes of a local array, with their name.
const SIZES: [(usize, &str); 9] = [
    (4 << 10, "4 KiB"),
    (16 << 10, "16 KiB"),
    (32 << 10, "32 KiB"),
    (64 << 10, "64 KiB"),
    (256 << 10, "256 KiB"),
    (1 << 20, "1 MiB"),
    (8 << 20, "8 MiB"),
    (20 << 20, "20 MiB"),
    (200 << 20, "200 MiB"),
];

/// Pairs of blocks without a common structure.
const GENERAL: [(usize, usize); 5] = [(10, 4), (4, 10), (64, 30), (30, 64), (1024, 654)];

type Items<T> = fn((usize, usize), usize, usize, &Asked) -> Option<Static<T>>;

pub type Measure<'a> = &'a dyn Fn(&Asked) -> (Vec<Method>, String);

/// Takes a case's name, the bytes of its runs if they have one length, and its measurement.
pub type Visit<'a> = &'a mut dyn FnMut(&str, usize, Measure<'_>);

pub fn each(quick: bool, visit: Visit<'_>) {
    for &(bytes, size) in &SIZES {
        if quick && bytes > 8 << 20 {
            continue;
        }
        single::<u8>("u8", of_u8, (bytes, size), visit);
        single::<u16>("u16", of_u16, (bytes, size), visit);
        line::<f32>(quick, "f32", of_f32, (bytes, size), visit);
        line::<f64>(quick, "f64", of_f64, (bytes, size), visit);
    }
    plane::<f32>(quick, "f32", visit);
    plane::<f64>(quick, "f64", visit);
}

fn line<T: Element>(
    quick: bool,
    element: &str,
    items: Items<T>,
    size: (usize, &str),
    visit: Visit<'_>,
) {
    let (ks, ranks): (&[usize], &[usize]) = match (quick, size.0 > 100 << 20) {
        (true, _) => (&[5, 100], &[3, 4]),
        (_, true) => (&[100], &[4, 16]),
        _ => (&[5, 25, 100, 1000], &[2, 3, 4, 8, 16]),
    };
    for r in [1, 2, 4, 8, 64] {
        for &k in ks {
            for &ranks in ranks {
                if k * r * size_of::<T>() * 4 <= size.0 {
                    pair(element, items, size, (k * r, r), ranks, visit);
                }
            }
        }
    }
    for blocks in GENERAL {
        for &ranks in if quick { &[3, 4][..] } else { &[3, 4, 8] } {
            pair(element, items, size, blocks, ranks, visit);
        }
    }
}

fn single<T: Element>(element: &str, items: Items<T>, size: (usize, &str), visit: Visit<'_>) {
    if size.0 > 8 << 20 {
        return;
    }
    for (k, ranks) in [5, 100].into_iter().flat_map(|k| [3, 4, 8].map(|ranks| (k, ranks))) {
        pair(element, items, size, (k, 1), ranks, visit);
    }
}

fn pair<T: Element>(
    element: &str,
    items: Items<T>,
    (bytes, size): (usize, &str),
    (from, to): (usize, usize),
    ranks: usize,
    visit: Visit<'_>,
) {
    let extent = bytes / size_of::<T>() * ranks;
    let run = from.min(to) * size_of::<T>();
    let plan = |(from, to)| {
        let layout = |block: usize| format!("cyclic({block}) onto {ranks}");
        Plan::parse([extent], &layout(from), &layout(to)).expect("a valid plan")
    };
    let blocks = (from, to);
    visit(&format!("{size} {element} {from} → {to} on {ranks}: pack"), run, &|asked| {
        packing::<T, 1>(plan(blocks), items(blocks, ranks, extent, asked), asked)
    });
    let blocks = (to, from);
    visit(&format!("{size} {element} {to} → {from} on {ranks}: unpack"), run, &|asked| {
        unpacking::<T, 1>(plan(blocks), items(blocks, ranks, extent, asked), asked)
    });
}

/// Both sides' layouts of a plane.
const PLANES: [(&str, &str); 5] = [
    ("(cyclic(64), cyclic(64)) onto (2, 2)", "(cyclic(32), cyclic(32)) onto (2, 2)"),
    ("(cyclic(64), cyclic(64)) onto (2, 2)", "(cyclic(30), cyclic(50)) onto (2, 2)"),
    ("(cyclic(64), cyclic(64)) onto (2, 2)", "(cyclic(64), *) onto 4"),
    ("(*, cyclic(256)) onto 4", "(cyclic(256), *) onto 4"),
    ("(block, block) onto (2, 2)", "(cyclic(8), cyclic(8)) onto (2, 2)"),
];

fn plane<T: Element>(quick: bool, element: &str, visit: Visit<'_>) {
    let side = if quick { 1024 } else { 4096 };
    let plan = |from, to| Plan::parse([side, side], from, to).expect("a valid plan");
    for (from, to) in PLANES {
        visit(&format!("{side}² {element} {from} → {to}: pack"), usize::MAX, &|asked| {
            packing::<T, 2>(plan(from, to), None, asked)
        });
        visit(&format!("{side}² {element} {to} → {from}: unpack"), usize::MAX, &|asked| {
            unpacking::<T, 2>(plan(to, from), None, asked)
        });
    }
}
