//! The numbers of the study that matter.

use super::setting::{is_ours, names_in};
use super::{cells, growth};
use crate::report::{Table, duration, ratio, spread};
use crate::sampling::{exponent, geometric_mean};
use std::collections::{BTreeMap, HashMap};

/// Each algorithm as a multiple of the window table.
pub fn algorithms(rows: &[cells::Row]) -> Table {
    let caption = "Each algorithm as a multiple of the window table in the same cell: least, geometric mean, most; and in how \
                   many cells it is below.";
    let head =
        ["algorithm", "cells", "operations", "below", "busiest rank", "below", "time", "below"];
    let mut table = Table::new(caption, head);
    for name in names_in(rows.iter().map(|row| row.algorithm)) {
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
            cells.extend([
                spread(&ratios),
                ratios.iter().filter(|ratio| **ratio < 1.0).count().to_string(),
            ]);
        }
        table.push(cells);
    }
    table
}

/// Each algorithm as a multiple of ASPEN.
pub fn over_aspen(rows: &[cells::Row]) -> Table {
    let caption =
        "Each algorithm as a multiple of ASPEN in the same cell: least, geometric mean, most.";
    let head = ["algorithm", "operations", "busiest rank", "time"];
    let mut table = Table::new(caption, head);
    let aspen: HashMap<_, _> =
        rows.iter().filter(|row| row.algorithm == "ASPEN").map(|row| (cell_of(row), row)).collect();
    for name in names_in(rows.iter().map(|row| row.algorithm)) {
        let ratios = |value: fn(&cells::Row) -> f64| {
            let of_name = rows.iter().filter(|row| row.algorithm == name);
            let ratios = of_name
                .filter_map(|row| Some(value(row) / value(aspen.get(&cell_of(row))?)))
                .collect::<Vec<_>>();
            spread(&ratios)
        };
        table.push(vec![
            name.to_owned(),
            ratios(|row| row.operations as f64),
            ratios(|row| row.busiest_rank_operations as f64),
            ratios(|row| row.nanoseconds),
        ]);
    }
    table
}

/// What the rows of one cell have in common.
fn cell_of(row: &cells::Row) -> (&str, &str, usize, usize) {
    (&row.source, &row.destination, row.source_side, row.destination_side)
}

/// With which power each algorithm's cost grows.
pub fn exponents(cells: &[cells::Row], growth: &[growth::Row]) -> Table {
    let caption = "Growth as a power, fitted by least squares on logarithms: exponents of operations and of time, over the side \
                   of both grids alike (all source ranks; least, mean and most of the 16 pairs of blocks), and over the \
                   remote ranks of one rank's two lines above. 0 is no growth, 1 linear, 2 the square.";
    let mut head = vec!["algorithm".to_owned(), "operations, side".into(), "time, side".into()];
    for line in growth::LINES {
        let blocks = format!("{} → {}", line.blocks.0, line.blocks.1);
        head.extend([format!("operations, {blocks}"), format!("time, {blocks}")]);
    }
    let mut table = Table::new(caption, head);
    for name in names_in(cells.iter().map(|row| row.algorithm)) {
        let sides = [
            over_sides(cells, name, |row| row.operations as f64),
            over_sides(cells, name, |row| row.nanoseconds),
        ];
        let mut row = vec![name.to_owned()];
        row.extend(sides);
        for line in growth::LINES {
            let of_line = |row: &&growth::Row| row.algorithm == name && row.extent == line.extent;
            let fit = |value: fn(&growth::Row) -> f64| {
                let rows = growth.iter().filter(of_line);
                fitted(&rows.map(|row| (row.remote_ranks as f64, value(row))).collect::<Vec<_>>())
            };
            row.extend([fit(|row| row.operations as f64), fit(|row| row.nanoseconds)]);
        }
        table.push(row);
    }
    table
}

/// The verdict on the paper's "all others scale with the square (or worse) of the grid's length".
pub fn square_text(cells: &[cells::Row]) -> String {
    let others = names_in(cells.iter().map(|row| row.algorithm));
    let others = others.into_iter().filter(|name| !is_ours(name) && *name != "ASPEN");
    let most = |name: &str, value: fn(&cells::Row) -> f64| {
        fits(cells, name, value).into_iter().fold(f64::MIN, f64::max)
    };
    let found: Vec<_> = others
        .map(|name| {
            (name, most(name, |row| row.operations as f64), most(name, |row| row.nanoseconds))
        })
        .filter(|(_, operations, _)| *operations > f64::MIN)
        .collect();
    let square = found.iter().filter(|(_, operations, time)| operations.max(*time) >= 2.0).count();
    let listed = found.iter().map(|(name, operations, time)| {
        format!("{name} {} and {}", signed(*operations), signed(*time))
    });
    format!(
        "The paper says of figure 3 that all others scale with the square (or worse) of the grid's length. Of {} others, {square} \
         do so here for any pair of blocks; the largest exponents of operations and of time: {}.",
        found.len(),
        listed.collect::<Vec<_>>().join(", ")
    )
}

/// The costs of finer blocks: figure 3 has 8.5 and 5 times as many blocks in the two dimensions
/// (256/30, 256/50), and ASPEN's time in proportion.
pub fn finer_blocks(rows: &[cells::Row], [coarse, fine]: &[String; 2]) -> Table {
    let caption = format!(
        "Figure 3: blocks of {fine} instead of {coarse}, which are 8.5 and 5 times as many in the two dimensions. Operations and \
         time as multiples, geometric means over all grids and the other blocks."
    );
    let head = [
        "algorithm",
        "at the source",
        "time",
        "at the destination",
        "time",
        "on both sides",
        "time",
    ];
    let mut table = Table::new(caption, head);
    let mut known = HashMap::new();
    rows.iter().for_each(|row| {
        known.insert((row.algorithm, cell_of(row)), row);
    });
    let others = |blocks: &str| blocks != coarse && blocks != fine;
    for name in names_in(rows.iter().map(|row| row.algorithm)) {
        let mean = |wanted: &dyn Fn(&cells::Row) -> bool,
                    finer: &dyn Fn(&cells::Row) -> (String, String),
                    value: fn(&cells::Row) -> f64| {
            let of_name = rows.iter().filter(|row| row.algorithm == name && wanted(row));
            let ratios = of_name.filter_map(|row| {
                let (source, destination) = finer(row);
                let cell = (&*source, &*destination, row.source_side, row.destination_side);
                Some(value(known.get(&(name, cell))?) / value(row))
            });
            let ratios: Vec<f64> = ratios.collect();
            if ratios.is_empty() { "–".into() } else { ratio(geometric_mean(&ratios)) }
        };
        let source = |row: &cells::Row| &row.source == coarse && others(&row.destination);
        let destination = |row: &cells::Row| &row.destination == coarse && others(&row.source);
        let both = |row: &cells::Row| &row.source == coarse && &row.destination == coarse;
        let finer_source = |row: &cells::Row| (fine.clone(), row.destination.clone());
        let finer_destination = |row: &cells::Row| (row.source.clone(), fine.clone());
        let finer_both = |_: &cells::Row| (fine.clone(), fine.clone());
        let operations: fn(&cells::Row) -> f64 = |row| row.operations as f64;
        let time: fn(&cells::Row) -> f64 = |row| row.nanoseconds;
        table.push(vec![
            name.to_owned(),
            mean(&source, &finer_source, operations),
            mean(&source, &finer_source, time),
            mean(&destination, &finer_destination, operations),
            mean(&destination, &finer_destination, time),
            mean(&both, &finer_both, operations),
            mean(&both, &finer_both, time),
        ]);
    }
    table
}

/// Exponents over the side of two equal grids, of all pairs of blocks that the algorithm applies to on
/// at least three sides.
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

/// Their least, mean and most.
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

/// Operations of all ranks in a few cells.
pub fn totals(rows: &[cells::Row]) -> Table {
    let names = names_in(rows.iter().map(|row| row.algorithm));
    let caption = "Operations of all source ranks of both dimensions, on 8 × 8 → 32 × 32 ranks, and time in units of the \
                   window table's; – where an algorithm does not apply.";
    let mut table = Table::new(caption, ["blocks"].into_iter().chain(names.iter().copied()));
    let in_grid = |row: &&cells::Row| (row.source_side, row.destination_side) == (8, 32);
    for ours in rows.iter().filter(in_grid).filter(|row| is_ours(row.algorithm)) {
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
        table.push([blocks].into_iter().chain(names.iter().map(cell)).collect());
    }
    table
}

/// One rank against more and more remote ranks.
pub fn growth(rows: &[growth::Row]) -> Table {
    let names = names_in(rows.iter().map(|row| row.algorithm));
    let caption = "Operations and time of rank 0 against more and more remote ranks; – where an algorithm does not apply or \
                   had become too slow.";
    let mut table = Table::new(
        caption,
        ["blocks, extent, remote ranks"].into_iter().chain(names.iter().copied()),
    );
    for line in growth::LINES {
        for remote in [2, 32, 1024, 32_768, 1_000_000] {
            let of_line =
                |row: &&growth::Row| row.extent == line.extent && row.remote_ranks == remote;
            let cell = |name: &&str| {
                let row = rows.iter().filter(of_line).find(|row| row.algorithm == *name);
                row.map_or("–".into(), |row| {
                    format!("{}, {}", row.operations, duration(row.nanoseconds * 1e-9))
                })
            };
            let what = format!("{} → {}, {}, {remote}", line.blocks.0, line.blocks.1, line.extent);
            table.push([what].into_iter().chain(names.iter().map(cell)).collect());
        }
    }
    table
}
