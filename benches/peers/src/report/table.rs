//! The table of the bench of peers.

use super::{numbers_of_ranks, on, wire};
use redist_measuring::bench::cell;
use redist_measuring::{Measured, Spread};
use std::fmt::Write as _;

pub fn show(measured: &Measured) {
    let number = measured.processes.len();
    let mut line = format!("{} ranks, {}, {number}", measured.task.ranks, measured.name());
    match measured.processes.last() {
        Some(Err(reason)) => line += &format!(": {reason}"),
        _ => line += &format!(": memcpy {}", measured.unit().map_or("–".into(), in_words)),
    }
    if let Some(wire) = wire(measured) {
        let _ = write!(line, ", wire {}", one_in_words(wire));
    }
    for method in measured.methods().iter().skip(1) {
        let _ = write!(line, " | {method} {}", cell(measured.ratio(method)));
    }
    eprintln!("{line}");
}

pub fn markdown(measured: &[Measured], head: &str) -> String {
    let mut text = format!("{head}\n\n");
    for ranks in numbers_of_ranks(measured) {
        let rows = on(measured, ranks);
        let title = format!("{ranks} ranks: a move, as a multiple of two memcpy passes");
        table(&mut text, &title, &rows, ratio);
        if rows.iter().any(|row| wire(row).is_some()) {
            let title = format!(
                "{ranks} ranks: a move, in milliseconds, and as a multiple of the wire's time"
            );
            table(&mut text, &title, &rows, over_wire);
        }
        let title =
            format!("{ranks} ranks: set-up, in milliseconds: the first time, and again (median)");
        table(&mut text, &title, &rows, set_up);
        let title =
            format!("{ranks} ranks: set-up and first call, as a multiple of two memcpy passes");
        table(&mut text, &title, &rows, first_call);
    }
    text
}

fn ratio(measured: &Measured, method: &str) -> String {
    let wrong = measured.rows().filter_map(|row| row.times(method)).any(|times| times.wrong > 0);
    format!("{}{}", cell(measured.ratio(method)), if wrong { " WRONG" } else { "" })
}

fn over_wire(measured: &Measured, method: &str) -> String {
    let milliseconds = measured.figure(method, |_, times| times.median * 1e3);
    let multiple =
        measured.figure(method, |row, times| times.median / row.wire.unwrap_or(f64::NAN));
    match milliseconds.zip(multiple) {
        Some((milliseconds, multiple)) => format!("{:.3}, {multiple}", milliseconds.median),
        None => "–".into(),
    }
}

fn set_up(measured: &Measured, method: &str) -> String {
    let first = measured.figure(method, |_, times| times.setup * 1e3);
    let again = measured.rows().filter_map(|row| row.times(method)?.setup_again);
    let again = Spread::of(again.map(|seconds| seconds * 1e3));
    let middle =
        |figure: Option<Spread>| figure.map_or("–".into(), |f| format!("{:.3}", f.median));
    match first {
        Some(_) => format!("{}, {}", middle(first), middle(again)),
        None => "–".into(),
    }
}

fn first_call(measured: &Measured, method: &str) -> String {
    let unit = measured.methods().first().map(|unit| (*unit).to_owned()).unwrap_or_default();
    let figure = measured.figure(method, |row, times| {
        (times.setup + times.first) / row.times(&unit).map_or(f64::NAN, |unit| unit.median)
    });
    figure.map_or("–".into(), |figure| format!("{:.2}", figure.median))
}

fn in_words(seconds: Spread) -> String {
    let Spread { median, least, most } = seconds;
    // As many microseconds where it is a small part of a millisecond.
    let (unit, word) = if median < 1e-4 { (1e6, "µs") } else { (1e3, "ms") };
    let scaled = Spread { median: median * unit, least: least * unit, most: most * unit };
    format!("{scaled} {word}")
}

fn one_in_words(seconds: f64) -> String {
    in_words(Spread { median: seconds, least: seconds, most: seconds })
}

fn table(
    text: &mut String,
    title: &str,
    rows: &[&Measured],
    cell: impl Fn(&Measured, &str) -> String,
) {
    let Some(first) = rows.first() else { return };
    let names = first.methods().split_off(1);
    let has_wire = rows.iter().any(|row| wire(row).is_some());
    let (head, rule) = if has_wire { (" wire |", "|---") } else { ("", "") };
    let _ = writeln!(text, "{title}\n\n| case | memcpy × 2 |{head} {} |", names.join(" | "));
    let _ = writeln!(text, "|---|---{rule}{}|", "|---".repeat(names.len()));
    for row in rows {
        let cells: Vec<String> = names.iter().map(|method| cell(row, method)).collect();
        let wire = wire(row).map_or(String::new(), |wire| format!(" {} |", one_in_words(wire)));
        let unit = row.unit().map_or("–".into(), in_words);
        let name = row.name().replace('|', "\\|");
        let _ = writeln!(text, "| {name} | {unit} |{wire} {} |", cells.join(" | "));
    }
    text.push('\n');
}
