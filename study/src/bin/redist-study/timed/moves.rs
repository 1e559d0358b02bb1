//! Ways to pack and unpack over links: communication and total times.

use super::{apart, in_words, read};
use crate::context::Context;
use crate::plot::{Curve, Plot};
use crate::report::{Report, Table, names, ratio, spread};
use crate::sampling::geometric_mean;
use redist_study::links::TimedMove;
use redist_study::packing::{PackingMethod, RunTime};
use redist_study::printed::{PrintedTime, printed_ratios};

/// The folder of its files.
const FOLDER: &str = "moves-timed";

/// The paper's own method, by its name here.
const PAPER: &str = "Hsu-Chung";

/// Shows the ways that were timed.
///
/// # Errors
/// If there is no such data, or a file cannot be written.
pub fn run(context: &Context) -> anyhow::Result<Report> {
    let rows: Vec<TimedMove> = read(context, "moves.csv")?;
    Ok(Report {
        folder: FOLDER,
        title: "Packing and unpacking over links, as timed by Hsu and Chung",
        paragraphs: [findings(&rows)]
            .into_iter()
            .chain(apart("total times", rows.iter().map(|row| row.total_apart)))
            .collect(),
        tables: vec![
            beside_printed(&rows),
            by_distributions(&rows, "total time", total),
            by_distributions(&rows, "time of the exchange alone", communication),
        ],
        plots: draw(context, &rows)?,
    })
}

fn total(row: &TimedMove) -> Option<f64> {
    Some(row.total)
}

fn communication(row: &TimedMove) -> Option<f64> {
    row.communication
}

/// Whether two methods did the same.
fn same_case(a: &TimedMove, b: &TimedMove) -> bool {
    let key = |row: &TimedMove| (row.elements, row.k, row.r, row.direction.clone());
    key(a) == key(b)
}

/// A time of one method over that of another in all cases, or in those of one kind.
fn over<'a>(
    rows: &'a [TimedMove],
    [method, other]: [&str; 2],
    time: fn(&TimedMove) -> Option<f64>,
    wanted: impl Fn(&TimedMove) -> bool + 'a,
) -> Vec<f64> {
    let of_method = rows.iter().filter(|row| row.method == method && wanted(row));
    let ratios = of_method.filter_map(|row| {
        let beside = rows.iter().find(|beside| beside.method == other && same_case(beside, row))?;
        Some(time(row)? / time(beside)?)
    });
    ratios.collect()
}

fn findings(rows: &[TimedMove]) -> String {
    let network = rows.first().map_or(String::new(), |row| in_words(row.nodes, &row.link));
    let share: Vec<f64> =
        rows.iter().filter_map(|row| Some(row.communication? / row.total)).collect();
    let moved = over(rows, ["redist, a move", RunTime.name()], total, |_| true);
    format!(
        "{network}, one rank each, against 64 ranks of an SP2 in the paper. The table after this paragraph has the times of the \
         paper's method over those of the older ones, as printed in figures 7(c) to 11(c) and here. The exchange makes \
         up {} of the total time here. All methods exchange alike here; the paper's unpacks messages in any order of arrival, and \
         its tables show most of its gain for kr→r in the exchange. A move by the library, which packs, sends and unpacks one message beside the other and \
         is planned before, takes {} of what its own packing takes in phases. PITFALLS and ASPEN list one period, \
         which between BLOCK and CYCLIC is the whole array, a piece an element.",
        spread(&share),
        spread(&moved),
    )
}

/// Times of the paper's method over those of the older ones, as printed and here.
fn beside_printed(rows: &[TimedMove]) -> Table {
    let caption = "Hsu and Chung's method as a multiple of the older ones, as printed and here: least, geometric mean, most over \
                   blocks and extents. Printed exchanges are without the eight figures that are copies.";
    let head =
        ["time", "direction", "over Thakur, printed", "here", "over PITFALLS, printed", "here"];
    let mut table = Table::new(caption, head);
    for direction in ["kr→r", "r→kr"] {
        for what in ["total", "exchange"] {
            let is_total = what == "total";
            let here = |other: &str| {
                let time = if is_total { total } else { communication };
                spread(&over(rows, [PAPER, other], time, |row| row.direction == direction))
            };
            let printed = |other: &str| {
                let wanted =
                    |row: &PrintedTime| row.direction == direction && (is_total || !row.is_copied);
                let time = |row: &PrintedTime| {
                    if is_total { row.total() } else { row.communication }
                };
                spread(&printed_ratios(["Krr", other], wanted, time))
            };
            let cells = ["Thakur", "PITFALLS"].map(|other| [printed(other), here(other)]);
            let names = [what.to_owned(), direction.to_owned()];
            table.push(names.into_iter().chain(cells.into_iter().flatten()).collect());
        }
    }
    table
}

fn distributions(row: &TimedMove) -> String {
    format!("{} → {}", row.source, row.destination)
}

fn by_distributions(rows: &[TimedMove], what: &str, time: fn(&TimedMove) -> Option<f64>) -> Table {
    let has_it = rows.iter().filter(|row| time(row).is_some());
    let methods = names(has_it.map(|row| row.method.as_str()));
    let caption = format!(
        "By distributions: {what} as a multiple of that with our packing in phases, geometric mean over five extents; and, for \
         the largest, the latter as a multiple of the wire's time."
    );
    let head = ["distributions"].into_iter().chain(methods.iter().copied()).chain(["of the wire"]);
    let mut table = Table::new(caption, head);
    let all: Vec<String> = rows.iter().map(distributions).collect();
    for blocks in names(all.iter().map(String::as_str)) {
        let here = |row: &TimedMove| distributions(row) == blocks;
        let cell = |method: &&str| {
            ratio(geometric_mean(&over(rows, [method, RunTime.name()], time, here)))
        };
        let largest = rows.iter().rfind(|row| here(row) && row.method == RunTime.name());
        let largest = largest.and_then(|row| Some(time(row)? / row.wire)).unwrap_or(f64::NAN);
        let cells = methods.iter().map(cell).chain([ratio(largest)]);
        table.push([blocks.to_owned()].into_iter().chain(cells).collect());
    }
    table
}

type Picture = (&'static str, &'static str);

/// Total over k for the largest extent: one picture a direction.
fn draw(context: &Context, rows: &[TimedMove]) -> anyhow::Result<Vec<Picture>> {
    let pictures = [
        (("total-kr-to-r.svg", "total time over k, kr→r"), "kr→r"),
        (("total-r-to-kr.svg", "total time over k, r→kr"), "r→kr"),
    ];
    let largest = rows.iter().map(|row| row.elements).max().unwrap_or(0);
    for ((file, _), direction) in pictures {
        let here = |row: &&TimedMove| row.elements == largest && row.direction == direction;
        let curve = |name: &str| {
            let of = rows.iter().filter(here).filter(|row| row.method == name);
            let points = of.map(|row| (row.k as f64, row.total / row.wire)).collect();
            Curve { name: name.to_owned(), points, is_ours: name.starts_with("redist") }
        };
        let names = names(rows.iter().map(|row| row.method.as_str()));
        let ranks = rows.first().map_or(0, |row| row.ranks);
        let plot = Plot {
            title: format!(
                "{direction}, {ranks} ranks, {:.2} million elements",
                largest as f64 / 1e6
            ),
            x: "k (the last: BLOCK and CYCLIC)",
            y: "total, multiple of the wire's time",
            curves: names.into_iter().map(curve).collect(),
        };
        plot.save(&context.path(&format!("{FOLDER}/{file}"))?)?;
    }
    Ok(pictures.map(|(picture, _)| picture).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(method: &str, direction: &str, total: f64, communication: Option<f64>) -> TimedMove {
        TimedMove {
            nodes: 4,
            link: "2gbit".into(),
            ranks: 4,
            elements: 1000,
            source: "cyclic(10)".into(),
            destination: "cyclic(2)".into(),
            direction: direction.into(),
            k: 5,
            r: 2,
            method: method.into(),
            wire: 2.0,
            communication,
            total,
            total_apart: 0.0,
        }
    }

    #[test]
    fn phases_that_a_method_lacks_are_left_out() {
        let rows = [
            row(PAPER, "kr→r", 6.0, Some(3.0)),
            row(RunTime.name(), "kr→r", 4.0, Some(3.0)),
            row("redist, a move", "kr→r", 2.0, None),
            row(PAPER, "r→kr", 8.0, Some(3.0)),
        ];
        let of_paper = |time| over(&rows, [PAPER, RunTime.name()], time, |_| true);
        assert_eq!((of_paper(total), of_paper(communication)), (vec![1.5], vec![1.0]));
        let table = by_distributions(&rows, "total time", total).markdown();
        assert!(
            table.contains("|      1.50 |             1.00 |           0.50 |        2.00 |"),
            "{table}"
        );
        let table = by_distributions(&rows, "exchange", communication).markdown();
        assert!(!table.contains("a move"), "{table}");
    }
}
