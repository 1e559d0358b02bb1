//! Tables in Markdown.

use super::numbers_of_ranks;
use crate::measured::{Measured, Times};
use std::fmt::Write as _;

/// One case as a line, as soon as it is measured.
pub fn show(case: &Measured) {
    let mut line = format!("{} ranks, {}: memcpy {}", case.ranks, case.case, in_words(case.memcpy));
    if let Some(wire) = case.wire {
        let _ = write!(line, ", wire {}", in_words(wire));
    }
    for method in &case.methods {
        let outcome = method.outcome.as_ref().map_or("–".into(), |times| ratio(times, case));
        let _ = write!(line, " | {} {outcome}", method.name);
    }
    eprintln!("{line}");
}

/// All cases: a table of moves, one of set-ups and one of first calls, for each number of ranks.
pub fn markdown(measured: &[Measured]) -> String {
    let mut text = String::new();
    for ranks in numbers_of_ranks(measured) {
        let cases: Vec<&Measured> = measured.iter().filter(|case| case.ranks == ranks).collect();
        table(
            &mut text,
            &format!("{ranks} ranks: a move, as a multiple of two memcpy passes"),
            &cases,
            ratio,
        );
        if cases.iter().any(|case| case.wire.is_some()) {
            table(
                &mut text,
                &format!(
                    "{ranks} ranks: a move, in milliseconds, and as a multiple of the wire's time"
                ),
                &cases,
                |times, case| {
                    let wire = case.wire.unwrap_or(f64::NAN);
                    format!("{:.3}, {:.2}", times.median * 1e3, times.median / wire)
                },
            );
        }
        table(
            &mut text,
            &format!("{ranks} ranks: set-up, in milliseconds: the first time, and again (median)"),
            &cases,
            |times, _| {
                let again =
                    times.setup_again.map_or("–".into(), |again| format!("{:.3}", again * 1e3));
                format!("{:.3}, {again}", times.setup * 1e3)
            },
        );
        table(
            &mut text,
            &format!("{ranks} ranks: set-up and first call, as a multiple of two memcpy passes"),
            &cases,
            |times, case| format!("{:.2}", (times.setup + times.first) / case.memcpy),
        );
    }
    text
}

fn ratio(times: &Times, case: &Measured) -> String {
    let wrong = if times.wrong > 0 { " WRONG" } else { "" };
    format!("{:.2}{wrong}", times.median / case.memcpy)
}

/// A time, in microseconds where it is a small part of a millisecond.
fn in_words(seconds: f64) -> String {
    match seconds * 1e3 {
        small if small < 0.1 => format!("{:.2} µs", small * 1e3),
        milliseconds => format!("{milliseconds:.2} ms"),
    }
}

fn table(
    text: &mut String,
    title: &str,
    cases: &[&Measured],
    cell: impl Fn(&Times, &Measured) -> String,
) {
    let Some(first) = cases.first() else { return };
    let names: Vec<&str> = first.methods.iter().map(|method| method.name.as_str()).collect();
    let has_wire = cases.iter().any(|case| case.wire.is_some());
    let (head, rule) = if has_wire { (" wire |", "|---") } else { ("", "") };
    let _ = writeln!(text, "{title}\n\n| case | memcpy × 2 |{head} {} |", names.join(" | "));
    let _ = writeln!(text, "|---|---{rule}{}|", "|---".repeat(names.len()));
    for case in cases {
        let cells: Vec<String> = case
            .methods
            .iter()
            .map(|method| method.outcome.as_ref().map_or("–".into(), |times| cell(times, case)))
            .collect();
        let wire = case.wire.map_or(String::new(), |wire| format!(" {} |", in_words(wire)));
        let _ = writeln!(
            text,
            "| {} | {} |{wire} {} |",
            case.case.replace('|', "\\|"),
            in_words(case.memcpy),
            cells.join(" | ")
        );
    }
    text.push('\n');
}
