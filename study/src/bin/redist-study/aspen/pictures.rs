use super::setting::{BLOCKS, FOLDER, blocks, is_ours, names, pairs};
use super::{cells, growth};
use crate::context::Context;
use crate::plot::{Curve, Panels, Plot};
use crate::report::{self, Picture};

const SIDE: usize = 8;

pub fn draw(
    context: &Context,
    cells: &[cells::Row],
    growth: &[growth::Row],
) -> anyhow::Result<Vec<Picture>> {
    let operations: Value = |row| row.busiest_rank_operations as f64;
    let time: Value = |row| row.nanoseconds_per_rank;
    let mut pictures = Vec::new();
    for (word, y, value) in [
        ("operations", "operations of the busiest rank", operations),
        ("time", "time of a rank, mean (ns)", time),
    ] {
        let panel = |(from, to)| pair(cells, (&blocks(from), &blocks(to)), value);
        let plots = pairs().into_iter().map(panel).collect();
        let title =
            format!("{y}, over the side q of the remote grid: {SIDE} × {SIDE} ranks → q × q");
        let file = format!("{word}.svg");
        let panels = Panels { title, columns: BLOCKS.len(), plots };
        panels.save(&context.path(&format!("{FOLDER}/{file}"))?)?;
        pictures.push((file, format!("{word} over the remote grid, all pairs of blocks")));
    }
    pictures.extend(draw_growth(context, growth)?);
    Ok(pictures)
}

type Value = fn(&cells::Row) -> f64;

fn pair(cells: &[cells::Row], (from, to): (&str, &str), value: Value) -> Plot {
    let rows = || {
        let of_pair = move |row: &&cells::Row| row.source == from && row.destination == to;
        cells.iter().filter(of_pair).filter(|row| row.source_side == SIDE)
    };
    let curve = |name: &str| {
        let rows = rows().filter(|row| row.algorithm == name);
        let points = rows.map(|row| (row.destination_side as f64, value(row))).collect();
        Curve { name: name.to_owned(), points, is_ours: is_ours(name) }
    };
    let curves = names().into_iter().map(curve).collect();
    Plot { title: format!("{from} → {to}"), x: "", y: "", curves }
}

fn draw_growth(context: &Context, rows: &[growth::Row]) -> anyhow::Result<Vec<Picture>> {
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
        save(context, picture.0, Plot { title, x: "remote ranks Q", y, curves })?;
    }
    Ok(report::pictures(pictures))
}

fn save(context: &Context, file: &str, plot: Plot) -> anyhow::Result<()> {
    plot.save(&context.path(&format!("{FOLDER}/{file}"))?)
}
