//! Curves over the remote grid.

use super::setting::{FOLDER, is_ours, names};
use super::{cells, growth};
use crate::context::Context;
use crate::plot::{Curve, Plot};

/// A picture's file and what it shows.
type Picture = (&'static str, &'static str);

/// Side of the source's grid in the curves over the paper's grids.
const SIDE: usize = 8;

/// Draws all of them.
///
/// # Errors
/// If one cannot be written.
pub fn draw(
    context: &Context,
    cells: &[cells::Row],
    growth: &[growth::Row],
) -> anyhow::Result<Vec<Picture>> {
    let operations: fn(&cells::Row) -> f64 = |row| row.busiest_rank_operations as f64;
    let time: fn(&cells::Row) -> f64 = |row| row.nanoseconds_per_rank;
    let (many, few) = (("30×50", "654×321"), ("1024×1024", "256×256"));
    let count = "operations of the busiest rank";
    let nanoseconds = "time of a rank, mean (ns)";
    let over_grid: [(Picture, _, _, _); 4] = [
        (
            ("operations-30x50-654x321.svg", "operations over the remote grid, 30×50 → 654×321"),
            many,
            count,
            operations,
        ),
        (
            ("time-30x50-654x321.svg", "time over the remote grid, 30×50 → 654×321"),
            many,
            nanoseconds,
            time,
        ),
        (
            (
                "operations-1024x1024-256x256.svg",
                "operations over the remote grid, 1024×1024 → 256×256",
            ),
            few,
            count,
            operations,
        ),
        (
            ("time-1024x1024-256x256.svg", "time over the remote grid, 1024×1024 → 256×256"),
            few,
            nanoseconds,
            time,
        ),
    ];
    let mut pictures = Vec::new();
    for (picture, (source, destination), y, value) in over_grid {
        let rows = || {
            cells
                .iter()
                .filter(move |row| (&*row.source, &*row.destination) == (source, destination))
        };
        let rows = || rows().filter(|row| row.source_side == SIDE);
        let curve = |name: &str| {
            let rows = rows().filter(|row| row.algorithm == name);
            let points = rows.map(|row| (row.destination_side as f64, value(row))).collect();
            Curve { name: name.to_owned(), points, is_ours: is_ours(name) }
        };
        let curves = names().into_iter().map(curve).collect();
        let title = format!("{source} → {destination}, {SIDE} × {SIDE} ranks → q × q");
        save(context, picture, Plot { title, x: "side q of the remote grid (ranks)", y, curves })?;
        pictures.push(picture);
    }
    pictures.extend(draw_growth(context, growth)?);
    Ok(pictures)
}

fn draw_growth(context: &Context, rows: &[growth::Row]) -> anyhow::Result<[Picture; 2]> {
    let operations: fn(&growth::Row) -> f64 = |row| row.operations as f64;
    let time: fn(&growth::Row) -> f64 = |row| row.nanoseconds;
    let pictures = [
        ("growth-operations.svg", "operations of one rank over up to a million remote ranks"),
        ("growth-time.svg", "time of one rank over up to a million remote ranks"),
    ];
    let line = growth::LINES[1];
    let rows: Vec<_> = rows.iter().filter(|row| row.extent == line.extent).collect();
    for (picture, (y, value)) in pictures
        .into_iter()
        .zip([("operations of rank 0", operations), ("time of rank 0 (ns)", time)])
    {
        let curve = |name: &str| {
            let rows = rows.iter().filter(|row| row.algorithm == name);
            let points = rows.map(|row| (row.remote_ranks as f64, value(row))).collect();
            Curve { name: name.to_owned(), points, is_ours: is_ours(name) }
        };
        let curves = names().into_iter().map(curve).collect();
        let title = format!(
            "blocks of {} → {}, {} elements, {} ranks → Q",
            line.blocks.0, line.blocks.1, line.extent, line.ranks.0
        );
        save(context, picture, Plot { title, x: "remote ranks Q", y, curves })?;
    }
    Ok(pictures)
}

fn save(context: &Context, (file, _): Picture, plot: Plot) -> anyhow::Result<()> {
    plot.save(&context.path(&format!("{FOLDER}/{file}"))?)
}
