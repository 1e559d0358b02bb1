//! Matrices moved by a plan of `redist`, by its `pdgemr2d`, by ScaLAPACK's and by COSTA.
//! `benches/peers/run --costa FOLDER` builds the program that measures, and launches this.
//!
//! The unit is the plan of `redist`, bound beforehand.

use pico_args::Arguments;
use redist_measuring::bench::{self, Bench};
use redist_measuring::cluster::mpiexec;
use redist_measuring::{Measured, Row, Spread, Task, Turns};
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Ranks, and a square matrix of so many rows in blocks on one grid, to blocks on another grid.
const ROWS: [(usize, &str); 11] = [
    (2, "512: 64x64 on 1x2 to 32x32 on 2x1"),
    (2, "2048: 64x64 on 1x2 to 32x32 on 2x1"),
    (2, "4096: 64x64 on 2x1 to 32x32 on 1x2"),
    (2, "4096: 128x128 on 2x1 to 100x100 on 1x2"),
    (2, "4096: 4096x2048 on 1x2 to 2048x4096 on 2x1"),
    (2, "256: 16x16 on 2x1 to 8x8 on 1x2"),
    (4, "4096: 64x64 on 2x2 to 32x32 on 2x2"),
    (4, "4096: 64x64 on 2x2 to 32x32 on 4x1"),
    (4, "256: 16x16 on 2x2 to 8x8 on 2x2"),
    (4, "2048: 256x256 on 2x2 to 512x512 on 2x2"),
    (4, "1024: 1024x256 on 1x4 to 256x1024 on 4x1"),
];

/// Ways to move, the unit first.
const WAYS: [&str; 4] = ["redist, plan", "redist, pdgemr2d", "ScaLAPACK", "COSTA"];

/// The bench beside COSTA.
struct BesideCosta {
    /// The program that measures a row on its ranks.
    program: PathBuf,
}

fn microseconds(figure: Option<Spread>) -> String {
    let scaled = |Spread { median, least, most }| Spread {
        median: median * 1e6,
        least: least * 1e6,
        most: most * 1e6,
    };
    figure.map_or("–".into(), |figure| format!("{:.0} µs", scaled(figure)))
}

impl Bench for BesideCosta {
    fn name(&self) -> &'static str {
        "costa"
    }

    fn options(&mut self, arguments: &mut Arguments) -> Result<Vec<String>, Box<dyn Error>> {
        self.program = arguments.value_from_str("--program")?;
        Ok(Vec::new())
    }

    fn launcher(&self, _: &Path, task: &Task) -> Command {
        mpiexec(task.ranks, false, &self.program)
    }

    fn rows(&self) -> Vec<Task> {
        ROWS.map(|(ranks, row)| Task { row: row.into(), ranks }).into()
    }

    fn measure(&self, task: &Task, _: Turns) -> Result<Row, Box<dyn Error>> {
        Err(format!("'{}' is measured by the program of `--program`", task.row).into())
    }

    fn head(&self) -> String {
        format!("{:<44}{:>5}  moves as multiples of a bound plan's", "matrix", "ranks")
    }

    fn line(&self, measured: &Measured) -> String {
        let Task { row, ranks } = &measured.task;
        let mut line = format!("{row:<44}{ranks:>5}");
        for way in measured.methods() {
            let _ = write!(line, "  {way}: {};", bench::cell(measured.ratio(way)));
        }
        line
    }

    fn summary(&self, measured: &[Measured]) -> String {
        let mut text = format!("\n| matrix | ranks | {} |\n", WAYS.join(" | "));
        text += &format!("|---|---|{}\n", "---|".repeat(WAYS.len()));
        for measured in measured.iter().filter(|row| row.rows().count() > 0) {
            let Task { row, ranks } = &measured.task;
            let cells = WAYS.map(|way| match way == WAYS[0] {
                true => microseconds(measured.unit()),
                false => bench::cell(measured.ratio(way)),
            });
            let _ = writeln!(text, "| {row} | {ranks} | {} |", cells.join(" | "));
        }
        text
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    bench::main(BesideCosta { program: PathBuf::new() })
}
