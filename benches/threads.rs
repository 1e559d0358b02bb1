//! Whole moves between threads as multiples of two passes of `memcpy`, by all ranks at once, over
//! every rank's bytes.
//!
//! Two passes are what packing and unpacking cost at least. `run` copies from array to array;
//! `start` and `finish` pack. The three take turns, so that a drift of the machine's speed meets
//! all alike; every move is checked once.
//!
//! `cargo bench --bench threads` measures all cases; words after `--` select those whose names
//! contain one of them.

use redist::{Bound, Element, Error, Redistribution, RuntimePlan, Side, threads};
use std::hint::black_box;
use std::sync::{Barrier, Mutex};
use std::time::Instant;

/// Rounds in which each way is taken once.
const ROUNDS: usize = 21;

/// What is measured, in this order in every round.
const WAYS: [&str; 3] = ["memcpy twice", "run", "start, finish"];

/// Layouts by number of ranks; 2-D arrays are stored as ScaLAPACK does.
struct Case<const D: usize> {
    name: &'static str,
    extents: [usize; D],
    /// For each number of ranks, the layouts.
    layouts: [(usize, &'static str, &'static str); 2],
}

const SQUARE: [usize; 2] = [4096, 4096];
const LINE: [usize; 1] = [5_120_000];

const TILES: [Case<2>; 6] = [
    Case {
        name: "64² → 32²",
        extents: SQUARE,
        layouts: [
            (4, "(cyclic(64), cyclic(64)) onto (2, 2)", "(cyclic(32), cyclic(32)) onto (2, 2)"),
            (2, "(cyclic(64), cyclic(64)) onto (2, 1)", "(cyclic(32), cyclic(32)) onto (2, 1)"),
        ],
    },
    Case {
        name: "64² → 30×50",
        extents: SQUARE,
        layouts: [
            (4, "(cyclic(64), cyclic(64)) onto (2, 2)", "(cyclic(30), cyclic(50)) onto (2, 2)"),
            (2, "(cyclic(64), cyclic(64)) onto (2, 1)", "(cyclic(30), cyclic(50)) onto (2, 1)"),
        ],
    },
    Case {
        name: "64², other grid",
        extents: SQUARE,
        layouts: [
            (4, "(cyclic(64), cyclic(64)) onto (2, 2)", "(cyclic(64), cyclic(64)) onto (4, 1)"),
            (2, "(cyclic(64), cyclic(64)) onto (1, 2)", "(cyclic(64), cyclic(64)) onto (2, 1)"),
        ],
    },
    Case {
        name: "256², rows ↔ columns",
        extents: SQUARE,
        layouts: [
            (4, "(cyclic(256), cyclic(256)) onto (1, 4)", "(cyclic(256), cyclic(256)) onto (4, 1)"),
            (2, "(cyclic(256), cyclic(256)) onto (1, 2)", "(cyclic(256), cyclic(256)) onto (2, 1)"),
        ],
    },
    Case {
        name: "BLOCK → 8²",
        extents: SQUARE,
        layouts: [
            (4, "(block, block) onto (2, 2)", "(cyclic(8), cyclic(8)) onto (2, 2)"),
            (2, "(block, block) onto (2, 1)", "(cyclic(8), cyclic(8)) onto (2, 1)"),
        ],
    },
    Case {
        name: "transposed",
        extents: SQUARE,
        layouts: [
            (4, "(block, *) onto 4", "(block, *) onto 4 transposed"),
            (2, "(block, *) onto 2", "(block, *) onto 2 transposed"),
        ],
    },
];

const LINES: [Case<1>; 5] = [
    Case {
        name: "cyclic(10) → (2)",
        extents: LINE,
        layouts: [
            (4, "cyclic(10) onto 4", "cyclic(2) onto 4"),
            (2, "cyclic(10) onto 2", "cyclic(2) onto 2"),
        ],
    },
    Case {
        name: "cyclic(2) → (10)",
        extents: LINE,
        layouts: [
            (4, "cyclic(2) onto 4", "cyclic(10) onto 4"),
            (2, "cyclic(2) onto 2", "cyclic(10) onto 2"),
        ],
    },
    Case {
        name: "cyclic(200) → (2)",
        extents: LINE,
        layouts: [
            (4, "cyclic(200) onto 4", "cyclic(2) onto 4"),
            (2, "cyclic(200) onto 2", "cyclic(2) onto 2"),
        ],
    },
    Case {
        name: "BLOCK → CYCLIC",
        extents: LINE,
        layouts: [(4, "block onto 4", "cyclic onto 4"), (2, "block onto 2", "cyclic onto 2")],
    },
    Case {
        name: "CYCLIC → BLOCK",
        extents: LINE,
        layouts: [(4, "cyclic onto 4", "block onto 4"), (2, "cyclic onto 2", "block onto 2")],
    },
];

/// One rank's arrays.
struct Arrays<T> {
    source: Vec<T>,
    destination: Vec<T>,
    copies: [Vec<T>; 2],
}

impl<T: Element> Arrays<T> {
    fn of<const D: usize>(bound: &Bound<T, D>, value: impl Fn(usize) -> T) -> Self {
        let (source, destination) =
            (bound.local_len(Side::Source), bound.local_len(Side::Destination));
        let most = source.max(destination);
        Self {
            source: (0..source).map(value).collect(),
            destination: vec![T::ZERO; destination],
            copies: [vec![T::ZERO; most], vec![T::ZERO; most]],
        }
    }

    fn take<const D: usize>(&mut self, way: usize, bound: &mut Bound<T, D>) -> Result<(), Error> {
        let Self { source, destination, copies: [first, second] } = self;
        match way {
            0 => {
                first[..source.len()].copy_from_slice(black_box(source));
                second.copy_from_slice(black_box(first));
                black_box(second);
                Ok(())
            }
            1 => bound.run(source, destination),
            _ => bound.start(source, destination)?.finish(),
        }
    }
}

/// Seconds of each way in each round.
fn measure<T: Element + PartialEq, const D: usize>(
    plan: &RuntimePlan<T, D>,
    value: fn(usize) -> T,
) -> Result<[Vec<f64>; 3], threads::Failure<Error>> {
    let ranks = plan.plan().ranks();
    let (barrier, times) = (Barrier::new(ranks), Mutex::new([const { Vec::new() }; 3]));
    threads::run(ranks, |rank| {
        let mut bound = plan.bind(rank)?;
        let mut arrays = Arrays::of(&bound, |index| value(index * ranks + rank.rank()));
        let mut moved = Vec::new();
        for way in [1, 2] {
            arrays.destination.fill(T::ZERO);
            arrays.take(way, &mut bound)?;
            moved.push(arrays.destination.clone());
        }
        assert!(moved[0] == moved[1], "both ways move the same");
        for _ in 0..ROUNDS {
            for way in 0..WAYS.len() {
                barrier.wait();
                let start = Instant::now();
                arrays.take(way, &mut bound)?;
                barrier.wait();
                if rank.rank() == 0 {
                    times.lock().expect("no rank panics here")[way]
                        .push(start.elapsed().as_secs_f64());
                }
            }
        }
        Ok::<_, Error>(())
    })?;
    Ok(times.into_inner().expect("no rank panics here"))
}

fn report<T: Element + PartialEq, const D: usize>(
    case: &Case<D>,
    fortran: bool,
    value: fn(usize) -> T,
) -> Result<(), Box<dyn std::error::Error>> {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if !wanted.is_empty() && !wanted.iter().any(|word| case.name.contains(word.as_str())) {
        return Ok(());
    }
    for (ranks, from, to) in case.layouts {
        let storage = if fortran { " storage fortran" } else { "" };
        let plan = RuntimePlan::<T, D>::parse(
            case.extents,
            &format!("{from}{storage}"),
            &format!("{to}{storage}"),
        )?;
        let mut times = measure(&plan, value)?;
        times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
        let [memcpy, run, started] = times.map(|times| times[ROUNDS / 2]);
        println!(
            "{:<24} {ranks:>5} {:>13.2} {:>9.2} {:>15.2}",
            case.name,
            memcpy * 1e3,
            run / memcpy,
            started / memcpy
        );
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("times over two passes of memcpy; medians of {ROUNDS} rounds");
    println!("{:<24} {:>5} {:>13} {:>9} {:>15}", "", "ranks", "memcpy ×2, ms", WAYS[1], WAYS[2]);
    TILES.iter().try_for_each(|case| report(case, true, |index| index as f64))?;
    LINES.iter().try_for_each(|case| report(case, false, |index| index as f32))
}
