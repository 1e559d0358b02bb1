//! The numbers of the study that matter.

use super::setting::{is_ours, names_in};
use super::{cells, growth};
use crate::report::{Table, duration, ratio, spread};

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
