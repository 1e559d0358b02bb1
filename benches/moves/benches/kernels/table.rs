//! The table of the bench of kernels.

use crate::{asked::Asked, sweep};
use pico_args::Arguments;
use redist_measuring::bench::Bench;
use redist_measuring::{Measured, Row, Spread, Task, Turns, median};
use std::collections::BTreeMap;
use std::error::Error;

/// Columns with their widths in characters.
const COLUMNS: [(&str, usize); 4] = [("static", 8), ("run time", 8), ("table", 8), ("vectors", 8)];

/// Columns that are compared with the table of segments.
const AGAINST_TABLE: [&str; 2] = ["static", "run time"];

/// The bench of kernels over all cases.
#[derive(Default)]
pub struct Sweep {
    /// `true` for a part of the cases.
    quick: bool,
    asked: Asked,
}

fn fraction(row: &Row, column: &str) -> Option<f64> {
    row.ratio(column).map(f64::recip)
}

fn against_table(row: &Row, column: &str) -> Option<f64> {
    Some(fraction(row, column)? / fraction(row, "table")?)
}

/// Summarises one row, or the median of many, over the processes.
fn over_processes(rows: &[&Measured], of: impl Fn(&Row) -> Option<f64>) -> Option<Spread> {
    let processes = rows.iter().map(|row| row.processes.len()).max()?;
    let of_process = |process: usize| {
        let told = rows.iter().filter_map(|row| row.processes.get(process)?.as_ref().ok());
        let figures: Vec<f64> = told.filter_map(&of).collect();
        (!figures.is_empty()).then(|| median(&figures))
    };
    Spread::of((0..processes).filter_map(of_process))
}

fn group(name: &str, run: usize) -> String {
    let size: Vec<&str> = name.split(' ').take(2).collect();
    let work = if name.ends_with("unpack") { "unpack" } else { "pack" };
    let regime = match run {
        0..=2 => "runs of 1 or 2 bytes",
        3..=4 => "runs of 4 bytes",
        5..=8 => "runs of 8 bytes",
        9..=16 => "runs of 16 bytes",
        17..=32 => "runs of 32 bytes",
        33..usize::MAX => "runs from 33 bytes on",
        _ => "two dimensions",
    };
    format!("{}, {regime}, {work}", size.join(" "))
}

impl Sweep {
    fn heads() -> String {
        COLUMNS.iter().map(|(column, width)| format!(" {column:>width$}")).collect()
    }

    /// Returns rows' figures, and the processes' largest distance, as a part of the median.
    fn cells(rows: &[&Measured]) -> (String, f64) {
        let mut apart: f64 = 0.0;
        let mut cell = |(column, width): &(&str, usize)| {
            let figure = over_processes(rows, |row| fraction(row, column));
            apart = apart.max(figure.map_or(0.0, |figure| figure.relative()));
            let text = figure.map_or("–".into(), |figure| format!("{:.2}", figure.median));
            format!(" {text:>width$}")
        };
        (COLUMNS.iter().map(&mut cell).collect(), apart)
    }
}

impl Bench for Sweep {
    fn name(&self) -> &'static str {
        "kernels"
    }

    fn options(&mut self, arguments: &mut Arguments) -> Result<Vec<String>, Box<dyn Error>> {
        self.quick = arguments.contains("--quick");
        let mut words = self.asked.options(arguments)?;
        words.extend(self.quick.then(|| "--quick".into()));
        Ok(words)
    }

    fn turns(&self) -> Turns {
        Turns { least: 3, most: 9, seconds: 0.1, ..Turns::default() }
    }

    fn rows(&self) -> Vec<Task> {
        let mut rows = Vec::new();
        sweep::each(self.quick, &mut |name, _, _| rows.push(Task { row: name.into(), ranks: 1 }));
        rows
    }

    fn measure(&self, task: &Task, turns: Turns) -> Result<Row, Box<dyn Error>> {
        let asked = Asked { turns, ..self.asked };
        let mut found = None;
        sweep::each(self.quick, &mut |name, _, measure| {
            if name == task.row {
                let (methods, note) = measure(&asked);
                found = Some(Row { note, ..Row::plain(name, 1, methods) });
            }
        });
        Ok(found.ok_or_else(|| format!("there is no row '{}'", task.row))?)
    }

    fn head(&self) -> String {
        format!(
            "fractions of memcpy of the same bytes\n{:<50}{}   apart  kernel at run time",
            "",
            Self::heads()
        )
    }

    fn line(&self, measured: &Measured) -> String {
        let (cells, apart) = Self::cells(&[measured]);
        let kernel = measured.rows().next().map_or("", |row| &row.note);
        format!("{:<50}{cells} {:>6.0}%  {kernel}", measured.task.row, apart * 100.0)
    }

    fn summary(&self, measured: &[Measured]) -> String {
        let mut runs = BTreeMap::new();
        sweep::each(self.quick, &mut |name, run, _| _ = runs.insert(name.to_owned(), run));
        let mut groups: Vec<(String, Vec<&Measured>)> = Vec::new();
        for row in measured {
            let group = group(&row.task.row, runs[&row.task.row]);
            match groups.iter_mut().find(|(name, _)| *name == group) {
                Some((_, rows)) => rows.push(row),
                None => groups.push((group, vec![row])),
            }
        }
        let against = AGAINST_TABLE.map(|column| format!(" {column:>8} ×")).concat();
        let mut text = format!(
            "\nmedians over the sweep; two columns are times the speed of the table; the last is how \
             far processes are apart\n{:<50}{}{against}   apart\n",
            "",
            Self::heads()
        );
        for (group, rows) in groups {
            let (cells, apart) = Self::cells(&rows);
            let against = AGAINST_TABLE.map(|column| {
                let figure = over_processes(&rows, |row| against_table(row, column));
                let text = figure.map_or("–".into(), |figure| format!("{:.2}", figure.median));
                format!(" {text:>10}")
            });
            let name = format!("{group} ({})", rows.len());
            text += &format!("{name:<50}{cells}{} {:>6.0}%\n", against.concat(), apart * 100.0);
        }
        text
    }
}
