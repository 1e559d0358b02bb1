//! Tables of operations and times, and exponents of their growth.

use super::setting::{Line, is_ours, names_in};
use super::{cells, growth};
use crate::report::{Table, duration, ratio, spread};
use crate::sampling::{exponent, geometric_mean};
use std::collections::{BTreeMap, HashMap};

fn names_of(rows: &[cells::Row]) -> Vec<&'static str> {
    names_in(rows.iter().map(|row| row.algorithm))
}

pub fn algorithms(rows: &[cells::Row]) -> Table {
    let caption = "Each algorithm as a multiple of the window table in the same cell: least, geometric mean, most; and in how \
                   many cells it is below.";
    let head =
        ["algorithm", "cells", "operations", "below", "busiest rank", "below", "time", "below"];
    let row = |name: &str| {
        let column = |ratio: fn(&cells::Row) -> f64| -> Vec<f64> {
            rows.iter().filter(|row| row.algorithm == name).map(ratio).collect()
        };
        let columns: [fn(&cells::Row) -> f64; 3] = [
            |row| row.operations_over_window,
            |row| row.busiest_over_window,
            |row| row.time_over_window,
        ];
        let mut cells = vec![name.to_owned(), column(columns[0]).len().to_string()];
        for ratios in columns.map(column) {
            let below = ratios.iter().filter(|ratio| **ratio < 1.0).count();
            cells.extend([spread(&ratios), below.to_string()]);
        }
        cells
    };
    Table::new(caption, head, names_of(rows).into_iter().map(row))
}

pub fn over_aspen(rows: &[cells::Row]) -> Table {
    let caption =
        "Each algorithm as a multiple of ASPEN in the same cell: least, geometric mean, most.";
    let head = ["algorithm", "operations", "busiest rank", "time"];
    let aspen: HashMap<_, _> =
        rows.iter().filter(|row| row.algorithm == "ASPEN").map(|row| (cell_of(row), row)).collect();
    let row = |name: &str| {
        let ratios = |value: fn(&cells::Row) -> f64| {
            let of_name = rows.iter().filter(|row| row.algorithm == name);
            let ratios = of_name
                .filter_map(|row| Some(value(row) / value(aspen.get(&cell_of(row))?)))
                .collect::<Vec<_>>();
            spread(&ratios)
        };
        vec![
            name.to_owned(),
            ratios(|row| row.operations as f64),
            ratios(|row| row.busiest_rank_operations as f64),
            ratios(|row| row.nanoseconds),
        ]
    };
    Table::new(caption, head, names_of(rows).into_iter().map(row))
}

fn cell_of(row: &cells::Row) -> (&str, &str, usize, usize) {
    (&row.source, &row.destination, row.source_side, row.destination_side)
}

pub fn exponents(cells: &[cells::Row], growth: &[growth::Row]) -> Table {
    let caption = "Growth as a power, fitted by least squares on logarithms: exponents of operations and of time, over the side \
                   of both grids alike (all source ranks; least, mean and most of the 16 pairs of blocks), and over the \
                   remote ranks of one rank's two lines above. 0 is no growth, 1 linear, 2 the square.";
    let mut head = vec!["algorithm".to_owned(), "operations, side".into(), "time, side".into()];
    for line in growth::LINES {
        let blocks = format!("{} → {}", line.blocks.0, line.blocks.1);
        head.extend([format!("operations, {blocks}"), format!("time, {blocks}")]);
    }
    let row = |name: &str| {
        let mut row = vec![
            name.to_owned(),
            over_sides(cells, name, |row| row.operations as f64),
            over_sides(cells, name, |row| row.nanoseconds),
        ];
        for line in growth::LINES {
            let of_line = |row: &&growth::Row| row.algorithm == name && row.extent == line.extent;
            let fit = |value: fn(&growth::Row) -> f64| {
                let rows = growth.iter().filter(of_line);
                fitted(&rows.map(|row| (row.remote_ranks as f64, value(row))).collect::<Vec<_>>())
            };
            row.extend([fit(|row| row.operations as f64), fit(|row| row.nanoseconds)]);
        }
        row
    };
    Table::new(caption, head, names_of(cells).into_iter().map(row))
}

/// Judges the claim that all algorithms but ASPEN scale with the square of the side.
pub fn square_text(cells: &[cells::Row]) -> String {
    let others = names_of(cells).into_iter().filter(|name| *name != "ASPEN" && !is_ours(name));
    let found: Vec<(&str, f64, f64)> = others
        .filter_map(|name| {
            let fits = fits(cells, name, |row| row.operations as f64);
            let most = fits.iter().copied().fold(f64::MIN, f64::max);
            (!fits.is_empty()).then(|| (name, fits.iter().sum::<f64>() / fits.len() as f64, most))
        })
        .collect();
    let Some(steepest) = found.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return "Too few sides to say with which power operations grow.".into();
    };
    let square = found.iter().filter(|(_, mean, _)| *mean >= SQUARE).count();
    let verdict = if square == found.len() { "is confirmed" } else { "is not confirmed" };
    format!(
        "The paper says that all algorithms but ASPEN scale with the square of the grid's side, or worse. In operations that \
         {verdict}: {square} of {} others have a mean exponent of {SQUARE} or more. The steepest is {}, with a mean of {} and {} \
         for its worst pair of blocks.",
        found.len(),
        steepest.0,
        signed(steepest.1),
        signed(steepest.2)
    )
}

const SQUARE: f64 = 1.9;

pub fn factors(cells: &[cells::Row]) -> Table {
    let caption = "Figure 3's factors: cost with blocks of 30×50 as a multiple of that with 256×256, when the source's, the \
                   destination's, or both sides' blocks shrink (geometric means over all grids, and over the other side's \
                   blocks). The blocks themselves grow in number by 8.5 and 5; the paper has ASPEN's time grow as they do.";
    let head = [
        "algorithm",
        "operations, source",
        "destination",
        "both",
        "time, source",
        "destination",
        "both",
    ];
    let (large, small) = ("256×256", "30×50");
    let others = |row: &cells::Row| {
        ["1024×1024", "654×321"].map(|other| (row.source == other, row.destination == other))
    };
    let row = |name: &str| {
        let of_name = || cells.iter().filter(move |row| row.algorithm == name);
        let cost: HashMap<_, _> = of_name().map(|row| (cell_of(row), row)).collect();
        let mut columns = vec![name.to_owned()];
        for value in
            [(|row| row.operations as f64) as fn(&cells::Row) -> f64, |row| row.nanoseconds]
        {
            for which in 0..3 {
                let shrunk = |row: &cells::Row| {
                    let (from, to) = (&*row.source, &*row.destination);
                    let shrinks = match which {
                        0 => from == large && others(row).iter().any(|other| other.1),
                        1 => to == large && others(row).iter().any(|other| other.0),
                        _ => from == large && to == large,
                    };
                    let from = if which == 1 { from } else { small };
                    let to = if which == 0 { to } else { small };
                    let key = (from, to, row.source_side, row.destination_side);
                    shrinks.then(|| Some(value(cost.get(&key)?) / value(row))).flatten()
                };
                let ratios: Vec<f64> = of_name().filter_map(shrunk).collect();
                let none = ratios.is_empty();
                columns.push(if none { "–".into() } else { ratio(geometric_mean(&ratios)) });
            }
        }
        columns
    };
    Table::new(caption, head, names_of(cells).into_iter().map(row))
}

/// Exponents over the side of two equal grids, for pairs of blocks measured on three sides or more.
fn fits(cells: &[cells::Row], name: &str, value: fn(&cells::Row) -> f64) -> Vec<f64> {
    let mut curves: BTreeMap<(&str, &str), Vec<(f64, f64)>> = BTreeMap::new();
    let alike =
        |row: &&cells::Row| row.algorithm == name && row.source_side == row.destination_side;
    for row in cells.iter().filter(alike) {
        let point = (row.source_side as f64, value(row));
        curves.entry((&row.source, &row.destination)).or_default().push(point);
    }
    curves.values().filter(|points| points.len() >= 3).map(|points| exponent(points)).collect()
}

fn over_sides(cells: &[cells::Row], name: &str, value: fn(&cells::Row) -> f64) -> String {
    let fits = fits(cells, name, value);
    if fits.is_empty() {
        return "–".into();
    }
    let (least, most) =
        fits.iter().fold((f64::MAX, f64::MIN), |(l, m), fit| (l.min(*fit), m.max(*fit)));
    let mean = fits.iter().sum::<f64>() / fits.len() as f64;
    [least, mean, most].map(signed).join(" / ")
}

fn fitted(points: &[(f64, f64)]) -> String {
    if points.len() < 3 { "–".into() } else { signed(exponent(points)) }
}

/// An exponent, without a sign where it rounds to 0.
fn signed(exponent: f64) -> String {
    let text = format!("{exponent:.2}");
    if text == "-0.00" { "0.00".into() } else { text }
}

pub fn totals(rows: &[cells::Row]) -> Table {
    let names = names_of(rows);
    let caption = "Operations of all source ranks of both dimensions, on 8 × 8 → 32 × 32 ranks, and time in units of the \
                   window table's; – where an algorithm does not apply.";
    let in_grid = |row: &&cells::Row| (row.source_side, row.destination_side) == (8, 32);
    let row = |ours: &cells::Row| {
        let same = |row: &&cells::Row| {
            (&row.source, &row.destination) == (&ours.source, &ours.destination)
        };
        let cell = |name: &&str| {
            let mut rows = rows.iter().filter(in_grid).filter(same);
            let row = rows.find(|row| row.algorithm == *name);
            row.map_or("–".into(), |row| {
                format!("{} ({})", row.operations, ratio(row.time_over_window))
            })
        };
        let blocks = format!("{} → {}", ours.source, ours.destination);
        [blocks].into_iter().chain(names.iter().map(cell)).collect()
    };
    let ours = rows.iter().filter(in_grid).filter(|row| is_ours(row.algorithm));
    Table::new(caption, ["blocks"].into_iter().chain(names.iter().copied()), ours.map(row))
}

pub fn growth(rows: &[growth::Row]) -> Table {
    let names = names_in(rows.iter().map(|row| row.algorithm));
    let caption = "Operations and time of rank 0 against more and more remote ranks; – where an algorithm does not apply or \
                   had become too slow.";
    let row = |(line, remote): (Line, usize)| {
        let of_line = |row: &&growth::Row| row.extent == line.extent && row.remote_ranks == remote;
        let cell = |name: &&str| {
            let row = rows.iter().filter(of_line).find(|row| row.algorithm == *name);
            row.map_or("–".into(), |row| {
                format!("{}, {}", row.operations, duration(row.nanoseconds * 1e-9))
            })
        };
        let what = format!("{} → {}, {}, {remote}", line.blocks.0, line.blocks.1, line.extent);
        [what].into_iter().chain(names.iter().map(cell)).collect()
    };
    let remote = [2, 32, 1024, 32_768, 1_000_000];
    let lines = growth::LINES.into_iter().flat_map(|line| remote.map(|remote| (line, remote)));
    let head = ["blocks, extent, remote ranks"].into_iter().chain(names.iter().copied());
    Table::new(caption, head, lines.map(row))
}
