//! `redist study cited`: techniques that the papers cite, in counts.

mod mapping;
mod phases;

use super::context::Context;
use super::report::Report;

pub fn run(context: &Context) -> anyhow::Result<Report> {
    let mapped = mapping::compare(context.quick)?;
    Ok(Report {
        folder: "cited",
        title: "What the papers cite: several phases, processor mapping",
        paragraphs: vec![setting_text(), mapping::findings_text(&mapped)],
        tables: vec![phases::table(context.quick)?, mapping::table(&mapped)],
        missing: vec![
            "strip mining and spiral mapping (Wakatani and Wolfe) and the sets of HPF compilers, which the second paper cites, have \
             no code: the papers at hand name them, and tell neither the size of a strip nor the order of a spiral"
                .into(),
        ],
        ..Report::default()
    })
}

fn setting_text() -> String {
    "Kaushik, Huang, Ramanujam and Sadayappan redistribute in several phases: each has fewer messages, and elements move \
     again in each. Kalns and Ni give the parts of the destination to other processors, so that more elements stay. Both are \
     counted here, not timed; the cost is the model's, with numbers that are assumed. The generalised basic cycle of Hsu, \
     Bai, Chung and Yang is among the intersection algorithms."
        .into()
}
