//! `redist-study breakdown`: the parts of one move between threads, and its overlap with computing.
//!
//! | file | |
//! |---|---|
//! | `measure.rs` | each rank's times, round by round |

mod measure;

use super::context::Context;
use super::report::{Report, Table, duration, ratio};
use super::scale::CASES;
use measure::{RANKS, Times};
use redist_measuring::median;

/// Runs the study.
///
/// # Errors
/// If a move fails.
pub fn run(context: &Context) -> anyhow::Result<Report> {
    let rounds = context.scale(51, 3);
    let found = CASES
        .iter()
        .map(|case| Ok((case.name, measure::measure(case, rounds)?)))
        .collect::<anyhow::Result<Vec<_>>>()?;
    Ok(Report {
        folder: "breakdown",
        title: "The parts of one move",
        paragraphs: vec![setting_text(rounds)],
        tables: vec![parts(&found), overlap(&found)],
        plots: Vec::new(),
    })
}

fn setting_text(rounds: usize) -> String {
    format!(
        "{RANKS} threads move 1 MiB each in double precision; medians of {rounds} rounds of the \
         mean over the ranks. The study moves by the programs of a plan: each rank packs all \
         messages, waits for the others, copies its messages, unpacks them, waits. The library's own move between threads copies no messages."
    )
}

/// The median over rounds of one time.
fn middle(rounds: &[Times], time: impl Fn(&Times) -> f64) -> f64 {
    median(&rounds.iter().map(time).collect::<Vec<_>>())
}

fn parts(found: &[(&str, Vec<Times>)]) -> Table {
    let caption =
        "Parts of one move, in percent of it; set-up (plan and bind) as a multiple of it.";
    let head = ["case", "move", "packing", "waiting", "transfer", "unpacking", "set-up"];
    let mut table = Table::new(caption, head);
    for (name, rounds) in found {
        let whole = middle(rounds, Times::whole);
        let part = |time: fn(&Times) -> f64| {
            format!("{:.0} %", 100.0 * middle(rounds, |times| time(times) / times.whole()))
        };
        table.push(vec![
            (*name).into(),
            duration(whole),
            part(|times| times.packing),
            part(|times| times.waiting),
            part(|times| times.transfer),
            part(|times| times.unpacking),
            ratio(middle(rounds, |times| times.set_up) / whole),
        ]);
    }
    table
}

fn overlap(found: &[(&str, Vec<Times>)]) -> Table {
    let caption = "A move by the library, and a computation that takes as long on a free core: one after \
                   the other; the computation between start and finish, over that.";
    let head = ["case", "run", "run, then compute", "start, compute, finish"];
    let mut table = Table::new(caption, head);
    for (name, rounds) in found {
        let apart = middle(rounds, |times| times.run + times.computing);
        let together = middle(rounds, |times| times.together / (times.run + times.computing));
        table.push(vec![
            (*name).into(),
            duration(middle(rounds, |times| times.run)),
            duration(apart),
            ratio(together),
        ]);
    }
    table
}
