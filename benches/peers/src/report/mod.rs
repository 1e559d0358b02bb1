//! Writes the table and the figures of the bench of peers.

mod chart;
mod table;

pub use table::{markdown, show};

use redist_measuring::session::replace;
use redist_measuring::{Measured, Row, Spread, Times};
use std::error::Error;
use std::io;
use std::path::Path;

/// Writes `peers.md` and `peers.csv`, as far as measured.
pub fn write(measured: &[Measured], folder: &Path, head: &str) -> io::Result<()> {
    replace(&folder.join("peers.md"), &markdown(measured, head))?;
    replace(&folder.join("peers.csv"), &records(measured)?)
}

pub fn draw(measured: &[Measured], folder: &Path) -> Result<(), Box<dyn Error>> {
    for ranks in numbers_of_ranks(measured) {
        chart::draw(&on(measured, ranks), &folder.join(format!("peers-{ranks}.svg")))?;
    }
    Ok(())
}

fn numbers_of_ranks(measured: &[Measured]) -> Vec<usize> {
    let mut numbers: Vec<usize> = measured.iter().map(|row| row.task.ranks).collect();
    numbers.dedup();
    numbers
}

fn on(measured: &[Measured], ranks: usize) -> Vec<&Measured> {
    let told = measured.iter().filter(|row| row.rows().next().is_some());
    told.filter(|row| row.task.ranks == ranks).collect()
}

fn wire(measured: &Measured) -> Option<f64> {
    measured.rows().next()?.wire
}

type Seconds = (&'static str, fn(&Row, &Times) -> f64);

/// Columns of seconds, each with its name.
const SECONDS: [Seconds; 5] = [
    ("setup_s", |_, times| times.setup),
    ("setup_again_s", |_, times| times.setup_again.unwrap_or(f64::NAN)),
    ("first_s", |_, times| times.first),
    ("median_s", |_, times| times.median),
    ("least_s", |_, times| times.least),
];

fn records(measured: &[Measured]) -> io::Result<String> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let head = ["case", "ranks", "element", "from", "to", "method", "processes"];
    let tail = ["memcpy_s", "wire_s", "ratio", "ratio_least", "ratio_most", "wrong", "reason"];
    let seconds = SECONDS.map(|(name, _)| name);
    csv.write_record(head.iter().chain(&seconds).chain(&tail))?;
    for row in measured {
        let Some(told) = row.rows().next() else { continue };
        for method in told.methods.iter().skip(1) {
            csv.write_record(record(row, told, &method.name))?;
        }
    }
    let bytes = csv.into_inner().map_err(|error| io::Error::other(error.to_string()))?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

fn record(measured: &Measured, told: &Row, method: &str) -> Vec<String> {
    let number = |seconds: Option<f64>| seconds.map_or(String::new(), |s| format!("{s:.9}"));
    let middle = |figure: Option<Spread>| figure.map(|figure| figure.median);
    let mut fields = vec![told.row.clone(), told.ranks.to_string()];
    fields.extend(match &told.array {
        Some(array) => [array.element.clone(), array.from.clone(), array.to.clone()],
        None => [const { String::new() }; 3],
    });
    fields.extend([method.into(), measured.rows().count().to_string()]);
    fields.extend(SECONDS.map(|(_, of)| number(middle(measured.figure(method, of)))));
    fields.extend([number(middle(measured.unit())), number(told.wire)]);
    let ratio = measured.ratio(method);
    let ends = [|r: Spread| r.median, |r: Spread| r.least, |r: Spread| r.most];
    fields
        .extend(ends.map(|end| ratio.map_or(String::new(), |ratio| format!("{:.4}", end(ratio)))));
    let wrong: u64 = measured.rows().filter_map(|row| row.times(method)).map(|t| t.wrong).sum();
    let reason = told.methods.iter().find(|other| other.name == method);
    let reason = reason.and_then(|method| method.outcome.as_ref().err());
    fields.extend([wrong.to_string(), reason.cloned().unwrap_or_default()]);
    fields
}
