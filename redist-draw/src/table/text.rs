//! The tables as text.

use super::{Entry, Label, MAX_SHOWN, Stage, Tables};

/// Writes the tables below each other. An entry is a destination or a piece, with its elements.
pub fn text(tables: &Tables) -> String {
    let head = format!(
        "An entry is destination:elements, or piece:elements between; a column is a rank. Period: {} elements.\n",
        tables.period
    );
    let parts = tables.stages().into_iter();
    parts.fold(head, |text, stage| text + &format!("\n{}\n{}", stage.heading, table(&stage)))
}

fn table(stage: &Stage<'_>) -> String {
    let rows = stage.rows;
    let columns = rows.first().map_or(0, Vec::len);
    let shown = columns.min(MAX_SHOWN);
    let head = (0..shown).map(|source| source.to_string()).collect::<Vec<_>>();
    let body = rows
        .iter()
        .take(MAX_SHOWN)
        .map(|row| words(&row[..shown], stage.label))
        .collect::<Vec<_>>();
    let width = body.iter().flatten().chain(&head).map(String::len).max().unwrap_or(1);
    let line = |cells: &[String]| {
        cells.iter().map(|cell| format!("  {cell:>width$}")).collect::<String>() + "\n"
    };
    let numbered = body.iter().enumerate().map(|(row, cells)| format!("{row:>4}{}", line(cells)));
    let cut = rows.len() > MAX_SHOWN || columns > shown;
    let rest = format!("The first of {} rows and {columns} columns.\n", rows.len());
    format!("    {}{}{}", line(&head), numbered.collect::<String>(), if cut { &rest } else { "" })
}

fn words(row: &[Option<Entry>], label: Label) -> Vec<String> {
    let word = |entry: &Entry| format!("{}:{}", label.of(entry, entry.destination), entry.len);
    row.iter().map(|entry| entry.as_ref().map_or("-".into(), word)).collect()
}
