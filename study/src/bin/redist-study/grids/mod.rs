//! `redist-study grids`: the first paper's future work in counts and times: Gaussian grids, and many
//! producers with many consumers.

mod gaussian;
mod many;
mod row;

use super::context::Context;
use super::report::{Report, Table, duration};
use row::Row;

const FOLDER: &str = "grids";

pub fn run(context: &Context) -> anyhow::Result<Report> {
    let passes = context.scale(5, 1);
    let mut rows = gaussian::measure(context.quick, passes)?;
    let of_grids = rows.len();
    rows.extend(many::measure(context.quick, passes)?);
    context.write_timed(&format!("{FOLDER}/grids.csv"), &mut rows)?;
    let (grids, parts) = rows.split_at(of_grids);
    Ok(Report {
        folder: FOLDER,
        title: "Gaussian grids, and many producers with many consumers",
        paragraphs: vec![setting_text()],
        tables: vec![
            table(
                "Reduced Gaussian grids: whole rows in turn become an even part of every row.",
                grids,
            ),
            table(
                "Many producers and consumers of one matrix: a part of rows each, and a part of columns each.",
                parts,
            ),
        ],
        ..Report::default()
    })
}

fn setting_text() -> String {
    "The authors of ASPEN want to \"investigate and implement ASPEN for Gaussian grids\", and to serve many producers and many \
     consumers. Here ASPEN's walk finds the pieces of both. Rows of a reduced Gaussian grid have different lengths, so that no \
     owners repeat, and the walk goes through all own blocks. Of many programs each pair with a common part gets a plan of that \
     part, as `join_parts` makes them. Operations are set-ups and comparisons of all source ranks; the classical algorithm \
     compares every source block with every destination block. Times are of one rank, but for plans and walks, which are of all."
        .into()
}

fn table(caption: &str, rows: &[Row]) -> Table {
    let head = [
        "case",
        "layouts",
        "ranks",
        "plans",
        "messages",
        "ASPEN, operations",
        "classical",
        "plans, time",
        "ASPEN, time",
        "programs",
        "pack + unpack",
    ];
    let cells = |row: &Row| {
        vec![
            row.case.clone(),
            format!("{} → {}", row.source, row.destination),
            format!("{} → {}", row.sources, row.destinations),
            row.plans.to_string(),
            row.messages.to_string(),
            row.operations.to_string(),
            row.classical.to_string(),
            duration(row.plan_nanoseconds * 1e-9),
            duration(row.intersect_nanoseconds * 1e-9),
            duration(row.program_nanoseconds * 1e-9),
            duration(row.pack_nanoseconds * 1e-9),
        ]
    };
    Table::new(caption, head, rows.iter().map(cells))
}
