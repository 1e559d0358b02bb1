//! Figures of a plan, in words and numbers for people.

use super::bounds::TABLE_RANKS;
use crate::words::{TIE, bytes, counted, elements, number, product};
use redist_explain::PlanReport;
use serde::Serialize;

/// A figure and its name.
#[derive(Serialize)]
pub struct NamedFigure(&'static str, String);

/// Elements from rank to rank.
#[derive(Serialize)]
pub struct Table {
    /// Source ranks.
    rows: Vec<usize>,
    /// Destination ranks.
    columns: Vec<usize>,
    /// Elements, in groups of digits; empty where none go.
    cells: Vec<Vec<String>>,
}

pub fn figures(report: &PlanReport) -> Vec<NamedFigure> {
    let mut found = vec![
        NamedFigure("array", array(report)),
        NamedFigure("ranks", ranks(report)),
        NamedFigure("classes", classes(report)),
    ];
    if let Some(stay) = report.counts.elements_that_stay {
        found.push(NamedFigure("stay on their rank", share(stay, report.elements)));
    }
    if let Some(messages) = messages(report) {
        found.push(NamedFigure("messages", messages));
    }
    found.extend(steps(report).map(|steps| NamedFigure("steps", steps)));
    found.push(NamedFigure("memory of a rank", memory(report)));
    found.push(NamedFigure("digest", report.digest.clone()));
    found
}

fn array(report: &PlanReport) -> String {
    let all = elements(report.elements, report.element_bytes);
    match report.extents.as_slice() {
        [] | [_] => format!("{all} of {}", report.element),
        extents => format!("{} = {all} of {}", product(extents), report.element),
    }
}

fn ranks(report: &PlanReport) -> String {
    let ranks = &report.ranks;
    format!(
        "{} needed; {} of the source, {} of the destination",
        number(ranks.needed),
        number(ranks.source.count),
        number(ranks.destination.count)
    )
}

fn classes(report: &PlanReport) -> String {
    let named = report.class.iter().map(|class| match *class {
        "kr_to_r" => "kr→r",
        "r_to_kr" => "r→kr",
        other => other,
    });
    named.collect::<Vec<_>>().join(", ")
}

fn share(part: usize, all: usize) -> String {
    let share = if all == 0 { 0.0 } else { 100.0 * part as f64 / all as f64 };
    format!("{} ({share:.1}{TIE}%)", counted(part, "element"))
}

fn messages(report: &PlanReport) -> Option<String> {
    let all = report.counts.messages?;
    let of = format!(
        "{} of {} to {} elements, those that stay counted",
        number(all.number),
        number(all.smallest),
        number(all.largest)
    );
    let most = report.counts.messages_of_a_rank;
    let most = most.map(|most| format!("; at most {} of one rank to others", number(most)));
    Some(of + &most.unwrap_or_default())
}

fn steps(report: &PlanReport) -> Option<String> {
    let least = report.min_steps.map(|least| format!("; at least {}", number(least)));
    Some(format!(
        "{} by {}{}",
        number(report.steps?),
        report.schedule.method,
        least.unwrap_or_default()
    ))
}

fn memory(report: &PlanReport) -> String {
    let memory = &report.memory;
    let peak = counted(memory.peak_elements, "element");
    let peak = memory.peak_bytes.map_or(peak, bytes);
    format!("{}{peak}, for arrays and messages", if memory.peak_is_bound { "at most " } else { "" })
}

/// Makes the table, where no side has more than [`MAX_RANKS`] ranks.
pub fn table(report: &PlanReport) -> Option<Table> {
    let counts = report.counts.counts.as_ref()?;
    let [rows, columns] = [&report.ranks.source, &report.ranks.destination].map(|grid| {
        let first = grid.first.unwrap_or(0);
        grid.listed.map_or_else(|| (first..first + grid.count).collect(), <[usize]>::to_vec)
    });
    let cell = |count: &usize| if *count == 0 { String::new() } else { number(*count) };
    let cells = counts.iter().map(|row| row.iter().map(cell).collect()).collect();
    (rows.len() <= TABLE_RANKS && columns.len() <= TABLE_RANKS).then_some(Table {
        rows,
        columns,
        cells,
    })
}
