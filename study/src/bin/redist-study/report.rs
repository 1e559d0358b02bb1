//! Reports of studies: paragraphs, tables and pictures, written as Markdown.

use super::sampling::geometric_mean;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The findings of one study.
#[derive(Default)]
pub struct Report {
    pub folder: &'static str,
    pub title: &'static str,
    pub paragraphs: Vec<String>,
    pub tables: Vec<Table>,
    pub plots: Vec<Picture>,
    pub missing: Vec<String>,
}

/// A picture in a file of its own.
pub struct Picture {
    pub file: &'static str,
    pub shows: &'static str,
    pub svg: String,
}

/// A table with a caption.
pub struct Table {
    caption: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(
        caption: impl Into<String>,
        head: impl IntoIterator<Item = impl Into<String>>,
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Self {
        Self {
            caption: caption.into(),
            head: head.into_iter().map(Into::into).collect(),
            rows: rows.into_iter().collect(),
        }
    }

    pub fn markdown(&self) -> String {
        let width = |column: usize| {
            let lines = self.rows.iter().chain([&self.head]);
            lines.filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
        };
        let widths: Vec<usize> =
            (0..self.head.len()).map(|column| width(column).unwrap_or(0).max(3)).collect();
        let mut text = format!("{}\n\n{}", self.caption, line(&self.head, &widths));
        let rule = widths.iter().enumerate().map(|(column, width)| match column {
            0 => "-".repeat(*width),
            _ => "-".repeat(width - 1) + ":",
        });
        text += &line(&rule.collect::<Vec<_>>(), &widths);
        self.rows.iter().for_each(|row| text += &line(row, &widths));
        text
    }
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let cells = cells.iter().zip(widths).enumerate().map(|(column, (cell, width))| match column {
        0 => format!("{cell:<width$}"),
        _ => format!("{cell:>width$}"),
    });
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

impl Report {
    pub fn text(&self) -> String {
        format!("{}\n{}\n\n{}", self.title, "=".repeat(self.title.chars().count()), self.results())
    }

    pub fn results(&self) -> String {
        let tables = self.tables.iter().map(Table::markdown);
        self.paragraphs
            .iter()
            .cloned()
            .chain(tables)
            .fold(String::new(), |text, part| text + part.trim_end() + "\n\n")
    }

    fn section(&self) -> String {
        let mut text = format!("## {}\n\n{}", self.title, self.results());
        for Picture { file, shows, .. } in &self.plots {
            let _ = writeln!(text, "![{shows}]({}/{file})\n", self.folder);
        }
        text
    }
}

pub fn summary(reports: &[Report], machine: &str, took: &str, quick: bool) -> String {
    let mut text = format!("# The papers' comparisons, run again\n\nMachine: {machine}. {took}");
    text += " Methods take turns in an order that is drawn anew in each round; only ratios within one run mean anything elsewhere.\n\n";
    if quick {
        text += "A quick run: a small part of each study, with too few passes for times to be trusted.\n\n";
    }
    reports.iter().for_each(|report| text += &report.section());
    text += &not_made(reports);
    text.trim_end().to_owned() + "\n"
}

pub fn took(seconds: &[(&str, f64)]) -> String {
    let parts: Vec<String> =
        seconds.iter().map(|(study, seconds)| format!("{study} {seconds:.0} s")).collect();
    let whole: f64 = seconds.iter().map(|(_, seconds)| seconds).sum();
    format!("The run took {:.1} minutes: {}.", whole / 60.0, parts.join(", "))
}

pub fn not_made(reports: &[Report]) -> String {
    let missing = reports.iter().flat_map(|report| {
        report.missing.iter().map(|what| format!("- `{}`: {what}.\n", report.folder))
    });
    let list: String = missing.collect();
    if list.is_empty() { list } else { format!("## Not made here\n\n{list}") }
}

pub fn ratio(value: f64) -> String {
    match value {
        value if !value.is_finite() => "–".into(),
        value if value >= 99.95 => format!("{value:.0}"),
        value if value >= 9.995 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

pub fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        seconds if !seconds.is_finite() => return "–".into(),
        seconds if seconds < 1e-6 => (seconds * 1e9, "ns"),
        seconds if seconds < 1e-3 => (seconds * 1e6, "µs"),
        seconds if seconds < 1.0 => (seconds * 1e3, "ms"),
        seconds => (seconds, "s"),
    };
    format!("{} {unit}", ratio(value))
}

pub fn names<'a>(rows: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names = Vec::new();
    for name in rows {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Sorts numbers, and keeps one of each.
pub fn distinct(numbers: impl Iterator<Item = usize>) -> Vec<usize> {
    numbers.collect::<BTreeSet<usize>>().into_iter().collect()
}

pub fn spread(ratios: &[f64]) -> String {
    let (least, most) =
        ratios.iter().fold((f64::MAX, f64::MIN), |(least, most), r| (least.min(*r), most.max(*r)));
    format!("{} / {} / {}", ratio(least), ratio(geometric_mean(ratios)), ratio(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_aligned_by_characters_not_bytes() {
        let rows = [["30×50", "12345"], ["König", "7"]].map(|row| row.map(str::to_owned).to_vec());
        let table = Table::new("Caption.", ["blocks", "n"], rows);
        let expected = "Caption.\n\n| blocks |     n |\n| ------ | ----: |\n| 30×50  | 12345 |\n| König  |     7 |\n";
        assert_eq!(table.markdown(), expected);
    }

    #[test]
    fn numbers_keep_three_digits() {
        assert_eq!(
            [0.5, 1.0, 9.996, 12.34, 99.96, 12345.6].map(ratio),
            ["0.50", "1.00", "10.0", "12.3", "100", "12346"]
        );
        assert_eq!(
            [2.5e-8, 1.5e-5, 0.25, 3.0].map(duration),
            ["25.0 ns", "15.0 µs", "250 ms", "3.00 s"]
        );
        assert_eq!((ratio(f64::NAN), duration(f64::INFINITY)), ("–".into(), "–".into()));
    }

    #[test]
    fn ratios_are_summed_up_in_three_numbers() {
        assert_eq!(spread(&[2.0, 0.5, 8.0]), "0.50 / 2.00 / 8.00");
        assert_eq!(names(["b", "a", "b"].into_iter()), ["b", "a"]);
    }

    #[test]
    fn the_summary_links_plots_and_names_the_machine() {
        let report = Report {
            folder: "aspen",
            title: "Intersections",
            paragraphs: vec!["Found.".into()],
            tables: Vec::new(),
            plots: vec![Picture { file: "growth.svg", shows: "how it grows", svg: String::new() }],
            missing: vec!["an abacus has no network".into()],
        };
        let took = took(&[("aspen", 61.2), ("scale", 28.9)]);
        let text = summary(&[report], "an abacus", &took, true);
        for part in [
            "Machine: an abacus. The run took 1.5 minutes: aspen 61 s, scale 29 s. Methods",
            "## Intersections\n\nFound.",
            "![how it grows](aspen/growth.svg)",
            "quick run",
            "## Not made here\n\n- `aspen`: an abacus has no network.",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
