//! Writes the guard's report.

use crate::ratios::{Name, Ratios};
use redist_measuring::quartiles;
use std::collections::BTreeMap;
use std::fmt::Write as _;

pub fn text(
    ratios: &BTreeMap<Name, Ratios>,
    controls: &[f64],
    failures: &[String],
    is_short: bool,
) -> String {
    let mut text = String::new();
    for ((group, row, ranks, method), ratios) in ratios {
        let judged = ratios.judged();
        // Of a case on nodes, its name.
        let name = if row.contains('|') { row.split(": ").next().unwrap_or(row) } else { row };
        let verdict = match () {
            () if ratios.is_slower() => "  SLOWER",
            () if ratios.is_open() => "  no time to tell",
            () if !ratios.was_suspect() => "",
            () if judged.is_suspect() => "  within its spread",
            () => "  not again",
        };
        let _ = writeln!(text, "{group:<8} {ranks} {name:<34} {method:<22} {judged}{verdict}");
    }
    let of = |wanted: fn(&Ratios) -> bool| ratios.values().filter(|ratios| wanted(ratios)).count();
    let (slower, open) = (of(Ratios::is_slower), of(Ratios::is_open));
    let suspects = of(Ratios::was_suspect) - slower - open;
    let [low, middle, high] = quartiles(controls);
    let _ = writeln!(
        text,
        "\nwhat is the same on both sides (memcpy and the like): {middle:.2}, half of {} rounds \
         within {low:.2} and {high:.2}",
        controls.len()
    );
    for failure in failures {
        let _ = writeln!(text, "failed: {failure}");
    }
    if is_short {
        let _ = writeln!(text, "the time was over before all rounds were: --minutes gives more");
    }
    let _ = write!(
        text,
        "figures: {}; {slower} slower, {suspects} suspects that are not, {open} without time to tell",
        ratios.len(),
    );
    text
}
