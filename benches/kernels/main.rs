//! Packing and unpacking of one rank as fractions of `memcpy` of the same bytes, in the same run.
//!
//! kr→r packed and r→kr unpacked (all messages together, and one at a time), general pairs of
//! blocks, and two dimensions; planned by the macro, at run time, and as a segment table with one
//! `memcpy` a run, which is what programs write by hand; and beside them a plain loop of vector
//! loads and stores over the same bytes, which no kernel made of them can beat. Stores past the
//! caches are a column of their own if they are asked for. Passes are interleaved, so that a drift
//! of the machine's speed meets all alike; the figures are ratios of medians.
//!
//! `cargo bench --bench kernels -- [--quick] [--best] [--nontemporal] [--vectors LEVEL] [--only
//! TEXT] [--csv FILE]`
//!
//! With `--thresholds`, instead of all that: code for blocks against the library's own copies, on both
//! sides of each threshold by which it is taken.

mod case;
mod items;
mod lent;
mod report;
mod segments;
mod sweep;
mod thresholds;
mod timing;
mod vectors;

use redist::Redistribution;
use redist::exec::{Binder, Vectors};
use report::Report;
use std::sync::OnceLock;
use timing::Samples;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut quick, mut thresholds, mut only, mut csv) = (false, false, String::new(), None);
    let mut samples = Samples { count: 9, best: false, nontemporal: false };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => quick = true,
            "--thresholds" => thresholds = true,
            // On a machine that does other things, too.
            "--best" => samples = Samples { count: 41, best: true, ..samples },
            "--nontemporal" => samples.nontemporal = true,
            "--vectors" => {
                let level = level(&arguments.next().expect("--vectors takes a level"));
                MAX_VECTORS.get_or_init(|| level);
            }
            "--only" => only = arguments.next().expect("--only takes a text"),
            "--csv" => csv = Some(arguments.next().expect("--csv takes a file")),
            // What cargo adds.
            "--bench" | "--test" => {}
            other => panic!(
                "{other}: the options are --quick, --best, --nontemporal, --thresholds, --vectors, \
                 --only and --csv"
            ),
        }
    }
    if thresholds {
        return thresholds::run(&only, samples);
    }
    let mut report = Report::new(samples.nontemporal);
    sweep::run(quick, &only, samples, &mut report);
    report.summary();
    if let Some(file) = csv {
        std::fs::write(&file, report.csv()).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
}

/// The most that kernels may use, if it was said.
static MAX_VECTORS: OnceLock<Vectors> = OnceLock::new();

/// A plan with what was said of instructions.
fn binder<R: Redistribution<D>, const D: usize>(redistribution: &R) -> Binder<'_, R, D> {
    match MAX_VECTORS.get() {
        Some(most) => redistribution.binder().max_vectors(*most),
        None => redistribution.binder(),
    }
}

fn level(name: &str) -> Vectors {
    match name {
        "portable" => Vectors::Portable,
        "neon" => Vectors::Neon,
        "sse2" => Vectors::Sse2,
        "avx2" => Vectors::Avx2,
        "avx512" => Vectors::Avx512,
        other => panic!("{other}: levels are portable, neon, sse2, avx2 and avx512"),
    }
}
