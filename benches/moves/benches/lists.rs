//! Moves by lists of indices beside a gather in shared memory, PETSc's VecScatter and Tpetra's
//! Import. `benches/peers/lists` builds the program that measures, and launches this.
//!
//! The unit is the gather: a loop by index over the whole array in memory that all ranks share.

use pico_args::Arguments;
use redist_measuring::bench::{self, Bench};
use redist_measuring::cluster::mpiexec;
use redist_measuring::{Measured, Row, Spread, Task, Turns};
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which indices a rank wants: in runs of so many neighbours, in random order, or every so many.
const ROWS: [&str; 4] = ["random", "runs of 16", "runs of 1000", "strided"];
/// Ranks of a launch.
const RANKS: [usize; 3] = [2, 4, 8];
/// Ways to move, the unit first.
const WAYS: [&str; 4] = ["gather", "redist", "PETSc VecScatter", "Tpetra Import"];

/// The bench of lists.
struct Lists {
    /// The program that measures a row on its ranks.
    program: PathBuf,
}

impl Lists {
    /// Returns a table of figures of the ways that were measured.
    fn table(
        measured: &[Measured],
        title: &str,
        figure: impl Fn(&Measured, &str) -> String,
    ) -> String {
        let has = |way: &&str| measured.iter().any(|row| row.methods().contains(way));
        let ways: Vec<&str> = WAYS.into_iter().filter(has).collect();
        let mut text = format!("\n{title}\n\n| indices | ranks | {} |\n", ways.join(" | "));
        text += &format!("|---|---|{}\n", "---|".repeat(ways.len()));
        for row in measured.iter().filter(|row| row.rows().count() > 0) {
            let cells: Vec<String> = ways.iter().map(|way| figure(row, way)).collect();
            let Task { row, ranks } = &row.task;
            let _ = writeln!(text, "| {row} | {ranks} | {} |", cells.join(" | "));
        }
        text
    }
}

fn milliseconds(figure: Option<Spread>) -> String {
    let scaled = |Spread { median, least, most }| Spread {
        median: median * 1e3,
        least: least * 1e3,
        most: most * 1e3,
    };
    figure.map_or("–".into(), |figure| format!("{:.1} ms", scaled(figure)))
}

impl Bench for Lists {
    fn name(&self) -> &'static str {
        "lists"
    }

    fn options(&mut self, arguments: &mut Arguments) -> Result<Vec<String>, Box<dyn Error>> {
        self.program = arguments.value_from_str("--program")?;
        let extent: Option<String> = arguments.opt_value_from_str("--extent")?;
        Ok(extent.into_iter().flat_map(|extent| ["--extent".into(), extent]).collect())
    }

    fn launcher(&self, _: &Path, task: &Task) -> Command {
        mpiexec(task.ranks, false, &self.program)
    }

    fn rows(&self) -> Vec<Task> {
        let of = |ranks| ROWS.map(|row| Task { row: row.into(), ranks });
        RANKS.into_iter().flat_map(of).collect()
    }

    fn measure(&self, task: &Task, _: Turns) -> Result<Row, Box<dyn Error>> {
        Err(format!("'{}' is measured by the program of `--program`", task.row).into())
    }

    fn head(&self) -> String {
        format!("{:<14}{:>5}  moves as multiples of the gather; planning in ms", "indices", "ranks")
    }

    fn line(&self, measured: &Measured) -> String {
        let Task { row, ranks } = &measured.task;
        let mut line = format!("{row:<14}{ranks:>5}");
        for way in measured.methods() {
            let moved = bench::cell(measured.ratio(way));
            let planned = measured.figure(way, |_, times| times.setup_again.unwrap_or(0.0) * 1e3);
            let planned = planned.map_or("–".into(), |planned| format!("{planned:.0}"));
            let _ = write!(line, "  {way}: {moved}, {planned};");
        }
        line
    }

    fn summary(&self, measured: &[Measured]) -> String {
        let moved =
            Self::table(measured, "A move, as a multiple of the gather", |row, way| match way {
                "gather" => milliseconds(row.unit()),
                _ => bench::cell(row.ratio(way)),
            });
        let planned = |row: &Measured, way: &str, first: bool| {
            let seconds = |times: &redist_measuring::Times| match first {
                true => times.setup,
                false => times.setup_again.unwrap_or(times.setup),
            };
            if way == "gather" {
                "–".into()
            } else {
                milliseconds(row.figure(way, |_, times| seconds(times)))
            }
        };
        let again =
            Self::table(measured, "Planning: the median of three, after the first", |row, way| {
                planned(row, way, false)
            });
        let first = Self::table(measured, "Planning: the first time in a process", |row, way| {
            planned(row, way, true)
        });
        moved + &again + &first
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    bench::main(Lists { program: PathBuf::new() })
}
