//! `redist study scale`: what a rank pays as both sides grow to a million ranks.

mod case;
mod measure;

use super::context::Context;
use super::plot::{Curve, Plot};
use super::report::{Picture, Report, Table, duration};
pub use case::{CASES, Case};
use measure::Row;
pub use measure::messages;
use redist::plan::schedule::CostModel;

const FOLDER: &str = "scale";

pub fn run(context: &Context) -> anyhow::Result<Report> {
    let on_ranks = |case| ranks(context.quick).into_iter().map(move |ranks| (case, ranks));
    let cases: Vec<_> = CASES.iter().flat_map(on_ranks).collect();
    let mut rows = Vec::new();
    for (case, ranks) in context.progress("scale, case by case", cases) {
        rows.push(measure::measure(case, ranks, context.scale(9, 1))?);
    }
    context.write_timed(&format!("{FOLDER}/scale.csv"), &mut rows)?;
    Ok(Report {
        folder: FOLDER,
        title: "A rank's share, up to a million ranks on each side",
        paragraphs: vec![setting_text(), findings_text(&rows)],
        tables: vec![table(&rows)],
        plots: draw(&rows)?,
        ..Report::default()
    })
}

fn ranks(quick: bool) -> Vec<usize> {
    if quick {
        vec![4, 1024, 1_000_000]
    } else {
        (1..10).map(|power| 1 << (2 * power)).chain([1_000_000]).collect()
    }
}

fn setting_text() -> String {
    let CostModel { startup, per_byte, contention } = CostModel::NETWORK;
    format!(
        "As many ranks on both sides, each with 1 MiB in double precision. Planning, a rank's programs, its place in every step of \
         a schedule, and packing and unpacking are measured, on one rank. The network is simulated: a startup of {} and {:.0} GB/s \
         a message, and {:.0} % more for bytes that meet at a rank; numbers that are assumed. Nothing here loops over ranks.",
        duration(startup),
        1e-9 / per_byte,
        100.0 * contention
    )
}

fn of<'a>(rows: &'a [Row], case: &'a str) -> impl Iterator<Item = &'a Row> {
    rows.iter().filter(move |row| row.case == case)
}

fn findings_text(rows: &[Row]) -> String {
    let growth = CASES.iter().filter_map(|case| {
        let (first, last) = (of(rows, case.name).next()?, of(rows, case.name).last()?);
        Some(format!(
            "{}: from {} to {} for {} to {} messages",
            case.name,
            duration(first.setup() * 1e-9),
            duration(last.setup() * 1e-9),
            first.messages,
            last.messages
        ))
    });
    let growth: Vec<String> = growth.collect();
    format!("Set-up of a rank from the fewest ranks to the most: {}.", growth.join("; "))
}

fn table(rows: &[Row]) -> Table {
    let caption = "A rank's set-up, once: plan, programs, steps of the schedule; and a move: packing and unpacking, and the \
                   network by the model.";
    let head = [
        "case, ranks",
        "messages",
        "plan",
        "programs",
        "schedule",
        "steps",
        "pack + unpack",
        "network",
    ];
    let cells = |row: &Row| {
        let optional = |nanoseconds: Option<f64>| {
            nanoseconds.map_or("–".into(), |time| duration(time * 1e-9))
        };
        vec![
            format!("{}, {}", row.case, row.ranks),
            row.messages.to_string(),
            duration(row.plan_nanoseconds * 1e-9),
            duration(row.program_nanoseconds * 1e-9),
            optional(row.schedule_nanoseconds),
            row.steps.map_or("–".into(), |steps| format!("{steps} ({})", row.method)),
            duration(row.pack_nanoseconds * 1e-9),
            optional(row.network()),
        ]
    };
    Table::new(caption, head, rows.iter().map(cells))
}

fn draw(rows: &[Row]) -> anyhow::Result<Vec<Picture>> {
    let curve = |(case, part): (&Case, &str), time: fn(&Row) -> Option<f64>| {
        let point = |row: &Row| Some((row.ranks as f64, time(row)? * 1e-3));
        // The legend has little room.
        let short = || case.name.replace("cyclic(", "").replace(')', "");
        let name = if part.is_empty() { case.name.into() } else { format!("{}, {part}", short()) };
        Curve { name, points: of(rows, case.name).filter_map(point).collect(), is_ours: false }
    };
    let of_cases = |part, time| CASES.iter().map(move |case| curve((case, part), time));
    let setup = of_cases("", |row| Some(row.setup()));
    let parts = of_cases("packing", |row| Some(row.pack_nanoseconds));
    let parts = parts.chain(of_cases("network", Row::network));
    let plot = |title: &str, curves| Plot {
        title: title.into(),
        x: "ranks on each side",
        y: "microseconds",
        curves,
    };
    Ok(vec![
        plot("Set-up of one rank: plan, programs and schedule", setup.collect())
            .picture("setup.svg", "set-up of one rank")?,
        plot("A move of one rank: packing measured, network modelled", parts.collect())
            .picture("move.svg", "a move of one rank")?,
    ])
}
