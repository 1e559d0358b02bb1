//! Computation over the extent, as figures 7 to 11 have it, beside what they print.

use super::measure::Row;
use crate::plot::{Curve, Panels, Plot};
use redist_study::printed::{PrintedTime, printed_times};

/// Methods by their names here and in the paper's tables.
const METHODS: [(&str, &str); 3] =
    [("Hsu-Chung", "Krr"), ("Thakur", "Thakur"), ("PITFALLS", "PITFALLS")];

/// Draws a panel for each pair of distributions. Times are multiples of Hsu and Chung's at the least
/// extent, here and in the paper each.
pub fn panels(rows: &[Row]) -> Panels {
    let least = rows.iter().map(|row| row.elements).min().unwrap_or(1);
    let mut pairs: Vec<&Row> = Vec::new();
    for row in rows {
        if pairs.iter().all(|other| distributions(other) != distributions(row)) {
            pairs.push(row);
        }
    }
    let printed = printed_times();
    let plots = pairs.into_iter().map(|row| panel(rows, row, least, &printed)).collect();
    let title = "computation over the extent, multiples of Hsu and Chung's at N = 1.28 million";
    Panels { title: title.into(), columns: 2, plots }
}

fn distributions(row: &Row) -> (&str, &str) {
    (&row.source, &row.destination)
}

fn panel(rows: &[Row], first: &Row, least: usize, printed: &[PrintedTime]) -> Plot {
    let here = |method: &str| -> Vec<(f64, f64)> {
        let is = |row: &&Row| distributions(row) == distributions(first) && row.method == method;
        let point = |row: &Row| (row.elements as f64 / least as f64, row.nanoseconds);
        rows.iter().filter(is).map(point).collect()
    };
    let is_block = [&first.source, &first.destination].iter().any(|word| *word == "block");
    let k = (!is_block).then_some(first.k);
    let of_paper = |method: &str| -> Vec<(f64, f64)> {
        let is = |row: &&PrintedTime| {
            row.k == k && row.direction == first.direction && row.method == method
        };
        printed.iter().filter(is).map(|row| (row.extent as f64, row.computation)).collect()
    };
    let curves =
        METHODS.iter().map(|(ours, _)| ((*ours).to_owned(), here(ours), here(METHODS[0].0)));
    let beside = METHODS.iter().map(|(_, theirs)| {
        (format!("{theirs}, printed"), of_paper(theirs), of_paper(METHODS[0].1))
    });
    let curves = curves.chain(beside).map(|(name, points, unit)| {
        let unit = unit.first().map_or(f64::NAN, |point| point.1);
        let points = points.into_iter().map(|(x, y)| (x, y / unit)).collect();
        Curve { name, points, is_ours: false }
    });
    let title = format!("{} → {}", first.source, first.destination);
    Plot { title, x: "", y: "", curves: curves.collect() }
}
