//! Whole moves between threads as multiples of two passes of `memcpy`, by all ranks at once.
//!
//! Packing and unpacking cost two passes at least. `run` copies from array to array; `start` and
//! `finish` pack. Every move is checked once.
//!
//! `cargo bench -p redist-moves --bench threads`; words after `--` select cases by their names.

use redist::{Bound, Element, Error, Redistribution, Side, TypedPlan, threads};
use redist_measuring::bench::{self, Bench};
use redist_measuring::{Measured, Method, Row, Task, Turns, perhaps_slower};
use redist_moves::Meeting;
use std::hint::black_box;
use std::sync::Mutex;

/// Columns.
const WAYS: [&str; 3] = ["memcpy × 2", "run", "start, finish"];

/// One array with both layouts.
struct Case<const D: usize> {
    name: &'static str,
    /// Extents, in elements.
    extents: [usize; D],
    /// Moves of one measurement, one after the other.
    moves: usize,
    /// Ranks with both sides' layouts: for four ranks, and for two.
    layouts: [(usize, &'static str, &'static str); 2],
}

/// Extents of a square matrix.
const SQUARE: [usize; 2] = [4096, 4096];
/// Elements of a line.
const LINE: [usize; 1] = [5_120_000];

/// Matrices in tiles.
const TILES: [Case<2>; 6] = [
    Case {
        name: "64² → 32²",
        extents: SQUARE,
        moves: 1,
        layouts: [
            (4, "(cyclic(64), cyclic(64)) onto (2, 2)", "(cyclic(32), cyclic(32)) onto (2, 2)"),
            (2, "(cyclic(64), cyclic(64)) onto (2, 1)", "(cyclic(32), cyclic(32)) onto (2, 1)"),
        ],
    },
    Case {
        name: "64² → 30×50",
        extents: SQUARE,
        moves: 1,
        layouts: [
            (4, "(cyclic(64), cyclic(64)) onto (2, 2)", "(cyclic(30), cyclic(50)) onto (2, 2)"),
            (2, "(cyclic(64), cyclic(64)) onto (2, 1)", "(cyclic(30), cyclic(50)) onto (2, 1)"),
        ],
    },
    Case {
        name: "64², other grid",
        extents: SQUARE,
        moves: 1,
        layouts: [
            (4, "(cyclic(64), cyclic(64)) onto (2, 2)", "(cyclic(64), cyclic(64)) onto (4, 1)"),
            (2, "(cyclic(64), cyclic(64)) onto (1, 2)", "(cyclic(64), cyclic(64)) onto (2, 1)"),
        ],
    },
    Case {
        name: "256², rows ↔ columns",
        extents: SQUARE,
        moves: 1,
        layouts: [
            (4, "(cyclic(256), cyclic(256)) onto (1, 4)", "(cyclic(256), cyclic(256)) onto (4, 1)"),
            (2, "(cyclic(256), cyclic(256)) onto (1, 2)", "(cyclic(256), cyclic(256)) onto (2, 1)"),
        ],
    },
    Case {
        name: "BLOCK → 8²",
        extents: SQUARE,
        moves: 1,
        layouts: [
            (4, "(block, block) onto (2, 2)", "(cyclic(8), cyclic(8)) onto (2, 2)"),
            (2, "(block, block) onto (2, 1)", "(cyclic(8), cyclic(8)) onto (2, 1)"),
        ],
    },
    Case {
        name: "transposed",
        extents: SQUARE,
        moves: 1,
        layouts: [
            (4, "(block, *) onto 4", "(block, *) onto 4 transposed"),
            (2, "(block, *) onto 2", "(block, *) onto 2 transposed"),
        ],
    },
];

/// Lines.
const LINES: [Case<1>; 6] = [
    Case {
        name: "cyclic(10) → (2)",
        extents: LINE,
        moves: 1,
        layouts: [
            (4, "cyclic(10) onto 4", "cyclic(2) onto 4"),
            (2, "cyclic(10) onto 2", "cyclic(2) onto 2"),
        ],
    },
    Case {
        name: "cyclic(2) → (10)",
        extents: LINE,
        moves: 1,
        layouts: [
            (4, "cyclic(2) onto 4", "cyclic(10) onto 4"),
            (2, "cyclic(2) onto 2", "cyclic(10) onto 2"),
        ],
    },
    Case {
        name: "cyclic(200) → (2)",
        extents: LINE,
        moves: 1,
        layouts: [
            (4, "cyclic(200) onto 4", "cyclic(2) onto 4"),
            (2, "cyclic(200) onto 2", "cyclic(2) onto 2"),
        ],
    },
    Case {
        name: "BLOCK → CYCLIC",
        extents: LINE,
        moves: 1,
        layouts: [(4, "block onto 4", "cyclic onto 4"), (2, "block onto 2", "cyclic onto 2")],
    },
    Case {
        name: "CYCLIC → BLOCK",
        extents: LINE,
        moves: 1,
        layouts: [(4, "cyclic onto 4", "block onto 4"), (2, "cyclic onto 2", "block onto 2")],
    },
    Case {
        name: "BLOCK → one rank",
        extents: LINE,
        moves: 1,
        layouts: [(4, "block onto 4", "* onto 1"), (2, "block onto 2", "* onto 1")],
    },
];

/// Lines whose blocks few ranks hold.
const FEW: [Case<1>; 1] = [Case {
    name: "to the next rank",
    extents: [64_000],
    moves: 400,
    layouts: [
        (16, "block onto 16", "block onto 16 first 1"),
        (64, "block onto 64", "block onto 64 first 1"),
    ],
}];

/// Arrays of one rank.
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

    fn take<const D: usize>(
        &mut self,
        (way, moves): (usize, usize),
        bound: &mut Bound<T, D>,
    ) -> Result<(), Error> {
        (0..moves).try_for_each(|_| self.take_one(way, bound))
    }

    fn take_one<const D: usize>(
        &mut self,
        way: usize,
        bound: &mut Bound<T, D>,
    ) -> Result<(), Error> {
        let Self { source, destination, copies: [first, second] } = self;
        match way {
            0 => {
                first[..source.len()].copy_from_slice(black_box(source));
                second.copy_from_slice(black_box(first));
                black_box(second);
                Ok(())
            }
            1 => perhaps_slower(|| bound.run(source, destination)),
            _ => perhaps_slower(|| bound.start(source, destination)?.finish()),
        }
    }
}

fn measure<T: Element + PartialEq, const D: usize>(
    (plan, moves): (&TypedPlan<T, D>, usize),
    value: fn(usize) -> T,
    turns: Turns,
) -> Result<Vec<Vec<f64>>, threads::Failure<Error>> {
    let ranks = plan.plan().ranks();
    let (meeting, times) = (Meeting::new(ranks), Mutex::new(Vec::new()));
    threads::run(ranks, |rank| {
        let mut bound = plan.bind(rank)?;
        let mut arrays = Arrays::of(&bound, |index| value(index * ranks + rank.rank()));
        let mut moved = Vec::new();
        for way in [1, 2] {
            arrays.destination.fill(T::ZERO);
            arrays.take((way, 1), &mut bound)?;
            moved.push(arrays.destination.clone());
        }
        assert!(moved[0] == moved[1], "both ways move the same");
        let is_first = rank.rank() == 0;
        let samples = turns.take(WAYS.len(), |way| {
            meeting.timed(is_first, || arrays.take((way, moves), &mut bound))
        })?;
        if is_first {
            *times.lock().expect("no rank panics here") = samples;
        }
        Ok::<_, Error>(())
    })?;
    Ok(times.into_inner().expect("no rank panics here"))
}

impl<const D: usize> Case<D> {
    fn tasks(&self) -> impl Iterator<Item = Task> {
        self.layouts.map(|(ranks, ..)| Task { row: self.name.into(), ranks }).into_iter()
    }

    fn measure<T: Element + PartialEq>(
        &self,
        task: &Task,
        storage: &str,
        value: fn(usize) -> T,
        turns: Turns,
    ) -> Option<Result<Row, Box<dyn std::error::Error>>> {
        let is_asked = |(ranks, ..): &&(usize, _, _)| self.name == task.row && *ranks == task.ranks;
        let (ranks, from, to) = self.layouts.iter().find(is_asked)?;
        let [from, to] = [from, to].map(|layout| format!("{layout}{storage}"));
        let row = || {
            let plan = TypedPlan::<T, D>::parse(self.extents, &from, &to)?;
            let samples = measure((&plan, self.moves), value, turns)?;
            let methods = WAYS.iter().zip(&samples).map(|(way, times)| Method::timed(*way, times));
            Ok(Row::plain(self.name, *ranks, methods.collect()))
        };
        Some(row())
    }
}

/// The bench of moves between threads.
struct Threads;

impl Bench for Threads {
    fn name(&self) -> &'static str {
        "threads"
    }

    fn rows(&self) -> Vec<Task> {
        let lines = LINES.iter().chain(&FEW).flat_map(Case::tasks);
        TILES.iter().flat_map(Case::tasks).chain(lines).collect()
    }

    fn measure(&self, task: &Task, turns: Turns) -> Result<Row, Box<dyn std::error::Error>> {
        let tiles = TILES
            .iter()
            .find_map(|case| case.measure(task, " storage fortran", |index| index as f64, turns));
        let lines = || {
            let mut cases = LINES.iter().chain(&FEW);
            cases.find_map(|case| case.measure(task, "", |index| index as f32, turns))
        };
        tiles.or_else(lines).ok_or_else(|| format!("there is no row {task:?}"))?
    }

    fn head(&self) -> String {
        let [unit, run, started] = WAYS;
        format!("{:<21} ranks {:>15}  {run:<18}  {started}", "", format!("{unit}, ms"))
    }

    fn line(&self, measured: &Measured) -> String {
        let cell = |way| bench::cell(measured.ratio(way));
        let unit = measured.unit().map_or(f64::NAN, |unit| unit.median * 1e3);
        let Task { row, ranks } = &measured.task;
        let line =
            format!("{row:<21} {ranks:>5} {unit:>15.2}  {:<18}  {}", cell("run"), cell(WAYS[2]));
        line.trim_end().to_owned()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    bench::main(Threads)
}
