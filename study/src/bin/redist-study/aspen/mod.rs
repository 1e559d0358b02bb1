//! `redist study aspen`: how much work intersection is.

mod cells;
mod count;
mod early_end;
mod growth;
mod literal;
mod pictures;
mod setting;
mod tables;

use super::context::Context;
use super::report::{Report, ratio};
use literal::Sweep;
use redist_measuring::median;
use setting::{FOLDER, is_ours};

pub fn run(context: &Context) -> anyhow::Result<Report> {
    let literal = literal::count(context)?;
    let mut cells = cells::measure(context)?;
    let mut growth = growth::measure(context)?;
    context.write_timed(&format!("{FOLDER}/cells.csv"), &mut cells)?;
    context.write_timed(&format!("{FOLDER}/growth.csv"), &mut growth)?;
    Ok(Report {
        folder: FOLDER,
        title: "Intersection algorithms, in the setting of ASPEN",
        paragraphs: vec![
            setting_text(&cells),
            operations_text(&literal.sweep),
            literal_text(&literal),
            tables::square_text(&cells),
            time_text(&cells),
            growth_text(&growth),
        ],
        tables: vec![
            tables::algorithms(&cells),
            tables::over_aspen(&cells),
            tables::totals(&cells),
            literal.table(),
            early_end::table()?,
            tables::factors(&cells),
            tables::growth(&growth),
            tables::exponents(&cells, &growth),
        ],
        plots: pictures::draw(&cells, &growth)?,
        missing: vec!["the points of the paper's figures 3 and 4, which print no numbers".into()],
    })
}

fn setting_text(cells: &[cells::Row]) -> String {
    let ours = cells.iter().filter(|row| is_ours(row.algorithm)).count();
    format!(
        "Rerun: {0} × {0} elements; blocks of 1024×1024, 256×256, 30×50 and 654×321, all 16 ordered pairs; 2 \
         to 32 processes are timed as the sides of square grids, {ours} cells, and counted as all processes of a grid of any shape; indices only, memory allocated before. A run is the sum over its two \
         dimensions and over all source ranks. Every count was compared with its closed form where there is one. \
         Of the paper's curves no numbers are at hand, so that none stand beside ours. Guo and Nakata's algorithm is built from \
         the paper's Algorithm 3, which sums it up: their own text is not at hand, and their schedule is not in that summary.",
        setting::EXTENT
    )
}

fn operations_text(sweep: &Sweep) -> String {
    let Sweep { dimensions, compared, below } = sweep;
    let verdict = match below.as_slice() {
        [] => "no other algorithm is below the window table, in total or on the busiest rank"
            .to_owned(),
        [first, ..] => {
            format!(
                "{} times another algorithm is below the window table, the first time {first}",
                below.len()
            )
        }
    };
    format!(
        "Operations (set-ups and comparisons together): in all {dimensions} dimensions that the blocks make on sides from \
         2 to 32, {compared} comparisons with another algorithm, {verdict}. A run on grids of any shape is a sum of such \
         dimensions."
    )
}

fn literal_text(literal: &literal::Literal) -> String {
    let [all, busiest] = literal.below();
    format!(
        "The paper's grids taken literally have 2 to 32 processes in all: {} shapes on either side, {} cells with the 16 pairs \
         of blocks. Another algorithm is below the window table {all} times in operations of all ranks, and {busiest} times \
         on the busiest rank.",
        literal.shapes, literal.cells
    )
}

fn time_text(cells: &[cells::Row]) -> String {
    let others = || cells.iter().filter(|row| !is_ours(row.algorithm));
    let faster = others().filter(|row| row.time_over_window < 1.0).count();
    let clearly = others().filter(|row| row.time_over_window < 0.9).count();
    let worst = others().min_by(|a, b| a.time_over_window.total_cmp(&b.time_over_window));
    let worst = worst.filter(|row| row.time_over_window < 1.0).map_or(String::new(), |row| {
        format!(
            " The clearest: {}, {} → {} on sides {} → {}, {} of the window table's time.",
            row.algorithm,
            row.source,
            row.destination,
            row.source_side,
            row.destination_side,
            ratio(row.time_over_window)
        )
    });
    format!(
        "Time: in {faster} of {} comparisons another algorithm took less time than the window table, in {clearly} of them \
         by more than a tenth; `cells.csv` has them all, in the column `time_over_window`.{worst}",
        others().count()
    )
}

fn growth_text(growth: &[growth::Row]) -> String {
    let line = growth::LINES[1];
    let of = |is: fn(&str) -> bool| {
        growth.iter().filter(move |row| row.extent == line.extent && is(row.algorithm))
    };
    let operations = |is| of(is).map(|row| row.operations).collect::<Vec<usize>>();
    let (aspen, window) = (operations(|name| name == "ASPEN"), operations(is_ours));
    let spread = |values: &[usize]| match (values.iter().min(), values.iter().max()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {most}"),
        (least, _) => least.copied().unwrap_or_default().to_string(),
    };
    let times: Vec<f64> = of(is_ours).map(|row| row.nanoseconds).collect();
    let slowest = times.iter().copied().fold(0.0, f64::max) / median(&times);
    format!(
        "The paper calls ASPEN's cost independent of the remote grid. It is, once the period lcm(s P, t Q) has reached the \
         extent; until then it grows with Q. For blocks of {} → {} and {} elements on {} ranks, from 2 to 1 000 000 remote \
         ranks, rank 0 makes {} operations by ASPEN and {} by the window table, whose period lcm(s P, t) does not contain Q \
         (its slowest time is {} times the median).",
        line.blocks.0,
        line.blocks.1,
        line.extent,
        line.ranks.0,
        spread(&aspen),
        spread(&window),
        ratio(slowest)
    )
}
