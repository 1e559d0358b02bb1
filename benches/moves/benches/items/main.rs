//! Sixty items of the macro (`src/items.rs`) beside plans made at run time of the same layouts.
//!
//! No extent of these is a multiple of a period, so that ranks have heads and tails. Matrices of
//! 128 MiB, whose rows take other code, are further items. Up to 4 ranks move between threads; with `--mpi` between processes, and with `--nodes N` too on emulated nodes. All
//! ranks pack and unpack, one after the other, on one thread.
//!
//! `cargo bench -p redist-moves --bench items -- [WORDS]`
//! `cargo bench -p redist-moves --features mpi --bench items -- --mpi [--nodes 2] [WORDS]`

mod elements;
mod messages;
mod moves;

use elements::{Numbered, Pair, WAYS};
use pico_args::Arguments;
use redist::{Redistribution, redistribute};
use redist_measuring::bench::{self, Bench};
use redist_measuring::cluster::{Cluster, mpiexec};
use redist_measuring::launch::limited;
use redist_measuring::{Measured, Method, Row, Spread, Task, Turns};
use std::error::Error;
use std::path::Path;
use std::process::Command;

/// Work that is measured.
const WORKS: [&str; 3] = ["move", "pack", "unpack"];

/// The most ranks that move.
const MOST_RANKS: usize = 4;

fn name(work: &str, way: &str) -> String {
    format!("{work}, {way}")
}

fn measure<T: Numbered, const D: usize>(
    item: &(impl Redistribution<D, Element = T> + Sync),
    between: Between,
    turns: Turns,
) -> Result<Vec<Method>, Box<dyn Error>> {
    let mut all = Vec::new();
    let moves = WAYS.map(|way| name("move", way)).into_iter();
    if between.is_processes() {
        all.extend(moves.zip(moves::between_processes(item, turns)?));
    } else {
        if item.plan().ranks() <= MOST_RANKS {
            all.extend(moves.zip(moves::between_threads(item, turns)?));
        }
        let names = ["pack", "unpack"].map(|work| WAYS.map(|way| name(work, way)));
        all.extend(names.into_iter().flatten().zip(messages::seconds(item, turns)));
    }
    Ok(all.into_iter().map(|(name, samples)| Method::timed(name, &samples)).collect())
}

/// Ranks that move.
#[derive(Clone, Copy)]
enum Between {
    Threads,
    Processes,
    Nodes(usize),
}

impl Between {
    fn is_processes(self) -> bool {
        !matches!(self, Self::Threads)
    }
}

/// The bench of items.
struct Items {
    between: Between,
    /// Up while this value is.
    cluster: Option<Cluster>,
}

macro_rules! items {
    (@ $element:ident $from:literal $to:literal $ranks:literal $kib:literal) => {
        concat!(
            stringify!($element), " cyclic(", $from, ") → (", $to, ") on ", $ranks, ", ", $kib, " KiB"
        )
    };
    ($($element:ident { $($from:literal to $to:literal on $ranks:literal of $kib:literal;)* })*) => {
        const ROWS: &[(&str, usize)] =
            &[$($((items!(@ $element $from $to $ranks $kib), $ranks),)*)*];

        fn of_lines(
            row: &str,
            between: Between,
            turns: Turns,
        ) -> Result<Vec<Method>, Box<dyn Error>> {
            $($(
                if row == items!(@ $element $from $to $ranks $kib) {
                    redistribute! {
                        struct Item(n: usize): [$element; n] {
                            from: cyclic($from) onto $ranks,
                            to: cyclic($to) onto $ranks,
                        }
                    }
                    let extent = ($kib << 10) / size_of::<$element>() * $ranks + $from + 1;
                    return measure(&Item::new(extent)?, between, turns);
                }
            )*)*
            Err(format!("there is no row '{row}'").into())
        }
    };
}

redist_moves::each_item!(items);

macro_rules! matrices {
    ($($ranks:literal $name:literal ($($from:tt)*) ($($to:tt)*);)*) => {
        const MATRICES: &[(&str, usize)] = &[$(($name, $ranks)),*];

        /// Measures a matrix of 128 MiB, or a line.
        fn methods(
            row: &str,
            between: Between,
            turns: Turns,
        ) -> Result<Vec<Method>, Box<dyn Error>> {
            $(
                if row == $name {
                    redistribute! {
                        struct Item: [f64; 4096, 4096] { from: $($from)*, to: $($to)* }
                    }
                    return measure(&Item::new(), between, turns);
                }
            )*
            of_lines(row, between, turns)
        }
    };
}

matrices! {
    2 "f64 64² → 32² on 2" (scalapack(64, 64, 2, 1)) (scalapack(32, 32, 2, 1));
    2 "f64 32² → 64² on 2" (scalapack(32, 32, 2, 1)) (scalapack(64, 64, 2, 1));
    2 "f64 64², 1×2 → 2×1" (scalapack(64, 64, 1, 2)) (scalapack(64, 64, 2, 1));
    2 "f64 64², 2×1 → 1×2" (scalapack(64, 64, 2, 1)) (scalapack(64, 64, 1, 2));
    2 "f64 (*, 64) → (32, *) on 2" ((*, cyclic(64)) onto 2) ((cyclic(32), *) onto 2);
    4 "f64 64² → 32² on 4" (scalapack(64, 64, 2, 2)) (scalapack(32, 32, 2, 2));
    4 "f64 64², 2×2 → 4×1" (scalapack(64, 64, 2, 2)) (scalapack(64, 64, 4, 1));
    4 "f64 64², 4×1 → 2×2" (scalapack(64, 64, 4, 1)) (scalapack(64, 64, 2, 2));
}

impl Items {
    fn ratio(measured: &Measured, work: &str) -> Option<Spread> {
        let [by_item, by_plan] = WAYS.map(|way| name(work, way));
        measured.figure(&by_item, |row, times| {
            times.median / row.times(&by_plan).map_or(f64::NAN, |other| other.median)
        })
    }

    /// Returns the works that are measured.
    fn works(&self) -> &'static [&'static str] {
        if self.between.is_processes() { &WORKS[..1] } else { &WORKS }
    }

    /// Returns a row of the table, without its last figure.
    fn cells(&self, mut cell: impl FnMut(&'static str) -> String) -> String {
        self.works().iter().map(|work| format!("{:<18}", cell(work))).collect()
    }

    /// Returns the geometric mean of the medians of all works that a row has.
    fn of_all(measured: &Measured) -> Option<f64> {
        let ratios: Vec<_> = WORKS.iter().filter_map(|work| Self::ratio(measured, work)).collect();
        let sum: f64 = ratios.iter().map(|ratio| ratio.median.ln()).sum();
        (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
    }
}

impl Bench for Items {
    fn name(&self) -> &'static str {
        match self.between {
            Between::Threads => "items",
            Between::Processes => "items-mpi",
            Between::Nodes(_) => "items-nodes",
        }
    }

    fn options(&mut self, arguments: &mut Arguments) -> Result<Vec<String>, Box<dyn Error>> {
        let (mpi, nodes) = (arguments.contains("--mpi"), arguments.opt_value_from_str("--nodes")?);
        self.between = match nodes {
            Some(nodes) => Between::Nodes(nodes),
            None if mpi => Between::Processes,
            None => Between::Threads,
        };
        Ok(if self.between.is_processes() { vec!["--mpi".into()] } else { Vec::new() })
    }

    fn begin(&mut self) -> Result<(), Box<dyn Error>> {
        if let Between::Nodes(nodes) = self.between {
            self.cluster = Some(Cluster::up(nodes, None)?);
        }
        Ok(())
    }

    fn launcher(&self, program: &Path, task: &Task) -> Command {
        match self.between {
            Between::Threads => limited(program),
            between => mpiexec(task.ranks, matches!(between, Between::Nodes(_)), program),
        }
    }

    fn turns(&self) -> Turns {
        Turns { seconds: 0.3, most: 101, ..Turns::default() }
    }

    fn rows(&self) -> Vec<Task> {
        let all = if self.between.is_processes() { MOST_RANKS } else { usize::MAX };
        let rows = ROWS.iter().chain(MATRICES).filter(|(_, ranks)| *ranks <= all);
        rows.map(|(row, ranks)| Task { row: (*row).into(), ranks: *ranks }).collect()
    }

    fn measure(&self, task: &Task, turns: Turns) -> Result<Row, Box<dyn Error>> {
        Ok(Row::plain(&*task.row, task.ranks, methods(&task.row, self.between, turns)?))
    }

    fn head(&self) -> String {
        format!("static ÷ run time\n{:<42} {}all, mean", "", self.cells(str::to_owned))
    }

    fn line(&self, measured: &Measured) -> String {
        let cells = self.cells(|work| bench::cell(Self::ratio(measured, work)));
        let all = Self::of_all(measured).map_or("–".into(), |mean| format!("{mean:.2}"));
        format!("{:<42} {cells}{all}", measured.task.row)
    }

    fn summary(&self, measured: &[Measured]) -> String {
        let line = |words: &str, is: fn(f64) -> bool| {
            let of = |work| measured.iter().filter_map(move |row| Self::ratio(row, work));
            let count = |work| of(work).filter(|ratio| is(ratio.median)).count();
            let all = measured.iter().filter_map(Self::of_all).filter(|mean| is(*mean)).count();
            format!("{words:<42} {}{all}\n", self.cells(|work| count(work).to_string()))
        };
        line("rows", |_| true)
            + &line("rows at .8 or less", |ratio| ratio <= 0.8)
            + &line("rows above 1.03", |ratio| ratio > 1.03)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    bench::main(Items { between: Between::Threads, cluster: None })
}
