//! Pictures of operations and times over the remote grid.

use super::setting::{BLOCKS, blocks, is_ours, names, pairs};
use super::{cells, growth};
use crate::plot::{Panels, Plot, curves};
use crate::report::Picture;

const SIDE: usize = 8;

pub fn draw(cells: &[cells::Row], growth: &[growth::Row]) -> anyhow::Result<Vec<Picture>> {
    Ok(vec![
        over_sides(cells, "operations of the busiest rank", |row| {
            row.busiest_rank_operations as f64
        })
        .picture("operations.svg", "operations over the remote grid, all pairs of blocks")?,
        over_sides(cells, "time of a rank, mean (ns)", |row| row.nanoseconds_per_rank)
            .picture("time.svg", "time over the remote grid, all pairs of blocks")?,
        over_ranks(growth, "operations of rank 0", |row| row.operations as f64).picture(
            "growth-operations.svg",
            "operations of one rank over up to a million remote ranks",
        )?,
        over_ranks(growth, "time of rank 0 (ns)", |row| row.nanoseconds)
            .picture("growth-time.svg", "time of one rank over up to a million remote ranks")?,
    ])
}

type Value = fn(&cells::Row) -> f64;

fn over_sides(cells: &[cells::Row], y: &str, value: Value) -> Panels {
    let title = format!("{y}, over the side q of the remote grid: {SIDE} × {SIDE} ranks → q × q");
    let panel = |(from, to)| pair(cells, (&blocks(from), &blocks(to)), value);
    Panels { title, columns: BLOCKS.len(), plots: pairs().into_iter().map(panel).collect() }
}

fn pair(cells: &[cells::Row], (from, to): (&str, &str), value: Value) -> Plot {
    let here =
        |row: &&cells::Row| row.source == from && row.destination == to && row.source_side == SIDE;
    let points = |name: &str| {
        let rows = cells.iter().filter(here).filter(|row| row.algorithm == name);
        rows.map(|row| (row.destination_side as f64, value(row))).collect()
    };
    let curves = curves(names(), is_ours, points);
    Plot { title: format!("{from} → {to}"), x: "", y: "", curves }
}

fn over_ranks(rows: &[growth::Row], y: &'static str, value: fn(&growth::Row) -> f64) -> Plot {
    let line = growth::LINES[1];
    let points = |name: &str| {
        let here = |row: &&growth::Row| row.extent == line.extent && row.algorithm == name;
        let rows = rows.iter().filter(here);
        rows.map(|row| (row.remote_ranks as f64, value(row))).collect()
    };
    let title = format!(
        "blocks of {} → {}, {} elements, {} ranks → Q",
        line.blocks.0, line.blocks.1, line.extent, line.ranks.0
    );
    Plot { title, x: "remote ranks Q", y, curves: curves(names(), is_ours, points) }
}
