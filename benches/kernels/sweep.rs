//! Which cases are measured.

use crate::case::{packing, unpacking};
use crate::items::{Static, of_f32, of_f64, of_u8, of_u16};
use crate::report::Report;
use crate::timing::Samples;
use redist::{Element, Plan};

/// Bytes of the timed rank's array.
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

type Items<T> = fn(usize, usize, usize, usize) -> Option<Static<T>>;

/// Measures all cases whose name contains `only`.
pub fn run(quick: bool, only: &str, samples: Samples, report: &mut Report) {
    let sweep = Sweep { quick, only, samples };
    for &(bytes, size) in &SIZES {
        if quick && bytes > 8 << 20 {
            continue;
        }
        sweep.single::<u8>("u8", of_u8, (bytes, size), report);
        sweep.single::<u16>("u16", of_u16, (bytes, size), report);
        sweep.line::<f32>("f32", of_f32, (bytes, size), report);
        sweep.line::<f64>("f64", of_f64, (bytes, size), report);
    }
    sweep.plane::<f32>("f32", report);
    sweep.plane::<f64>("f64", report);
}

struct Sweep<'a> {
    quick: bool,
    only: &'a str,
    samples: Samples,
}

impl Sweep<'_> {
    /// Whether a case is wanted, by its name.
    fn wants(&self, name: &str) -> bool {
        self.only.split(',').all(|part| name.contains(part))
    }

    fn line<T: Element>(
        &self,
        element: &str,
        items: Items<T>,
        size: (usize, &str),
        report: &mut Report,
    ) {
        let (ks, ranks): (&[usize], &[usize]) = match (self.quick, size.0 > 100 << 20) {
            (true, _) => (&[5, 100], &[3, 4]),
            (_, true) => (&[100], &[4, 16]),
            _ => (&[5, 25, 100, 1000], &[2, 3, 4, 8, 16]),
        };
        for r in [1, 2, 4, 8, 64] {
            for &k in ks {
                for &ranks in ranks {
                    if k * r * size_of::<T>() * 4 <= size.0 {
                        self.pair(element, items, size, (k * r, r), ranks, report);
                    }
                }
            }
        }
        for (from, to) in GENERAL {
            for &ranks in if self.quick { &[3, 4][..] } else { &[3, 4, 8] } {
                self.pair(element, items, size, (from, to), ranks, report);
            }
        }
    }

    /// Single elements that are shorter than a lane of 4 bytes.
    fn single<T: Element>(
        &self,
        element: &str,
        items: Items<T>,
        size: (usize, &str),
        report: &mut Report,
    ) {
        if size.0 > 8 << 20 {
            return;
        }
        for (k, ranks) in [5, 100].into_iter().flat_map(|k| [3, 4, 8].map(|ranks| (k, ranks))) {
            self.pair(element, items, size, (k, 1), ranks, report);
        }
    }

    /// `from` → `to` packed, and `to` → `from` unpacked.
    fn pair<T: Element>(
        &self,
        element: &str,
        items: Items<T>,
        (bytes, size): (usize, &str),
        (from, to): (usize, usize),
        ranks: usize,
        report: &mut Report,
    ) {
        let extent = bytes / size_of::<T>() * ranks;
        let layout = |block: usize| format!("cyclic({block}) onto {ranks}");
        let name = format!("{size} {element} {from} → {to} on {ranks}: pack");
        if self.wants(&name) {
            let plan = Plan::parse([extent], &layout(from), &layout(to)).expect("a valid plan");
            let run = from.min(to) * size_of::<T>();
            report.add(
                &name,
                run,
                packing::<T, 1>(plan, items(from, to, ranks, extent), self.samples),
            );
        }
        let name = format!("{size} {element} {to} → {from} on {ranks}: unpack");
        if self.wants(&name) {
            let plan = Plan::parse([extent], &layout(to), &layout(from)).expect("a valid plan");
            let run = from.min(to) * size_of::<T>();
            report.add(
                &name,
                run,
                unpacking::<T, 1>(plan, items(to, from, ranks, extent), self.samples),
            );
        }
    }

    fn plane<T: Element>(&self, element: &str, report: &mut Report) {
        let side = if self.quick { 1024 } else { 4096 };
        for (from, to) in [
            ("(cyclic(64), cyclic(64)) onto (2, 2)", "(cyclic(32), cyclic(32)) onto (2, 2)"),
            ("(cyclic(64), cyclic(64)) onto (2, 2)", "(cyclic(30), cyclic(50)) onto (2, 2)"),
            ("(cyclic(64), cyclic(64)) onto (2, 2)", "(cyclic(64), *) onto 4"),
            ("(*, cyclic(256)) onto 4", "(cyclic(256), *) onto 4"),
            ("(block, block) onto (2, 2)", "(cyclic(8), cyclic(8)) onto (2, 2)"),
        ] {
            for (from, to, work) in [(from, to, "pack"), (to, from, "unpack")] {
                let name = format!("{side}² {element} {from} → {to}: {work}");
                if !self.wants(&name) {
                    continue;
                }
                let plan = Plan::parse([side, side], from, to).expect("a valid plan");
                let row = match work {
                    "pack" => packing::<T, 2>(plan, None, self.samples),
                    _ => unpacking::<T, 2>(plan, None, self.samples),
                };
                report.add(&name, usize::MAX, row);
            }
        }
    }
}
