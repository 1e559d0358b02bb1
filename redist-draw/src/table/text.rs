use super::{MAX_SHOWN, Row, Tables};

/// Writes the tables below each other; an entry is `destination:elements`.
pub fn text(tables: &Tables) -> String {
    let head = format!(
        "An entry is destination:elements; a column is a source. Period: {} elements.\n",
        tables.period
    );
    let parts = tables.stages().into_iter();
    parts.fold(head, |text, stage| text + &format!("\n{}\n{}", stage.heading, table(stage.rows)))
}

fn table(rows: &[Row]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let shown = columns.min(MAX_SHOWN);
    let head = (0..shown).map(|source| source.to_string()).collect::<Vec<_>>();
    let body = rows.iter().take(MAX_SHOWN).map(|row| words(&row[..shown])).collect::<Vec<_>>();
    let width = body.iter().flatten().chain(&head).map(String::len).max().unwrap_or(1);
    let line = |cells: &[String]| {
        cells.iter().map(|cell| format!("  {cell:>width$}")).collect::<String>() + "\n"
    };
    let numbered = body.iter().enumerate().map(|(row, cells)| format!("{row:>4}{}", line(cells)));
    let cut = rows.len() > MAX_SHOWN || columns > shown;
    let rest = format!("The first of {} rows and {columns} columns.\n", rows.len());
    format!("    {}{}{}", line(&head), numbered.collect::<String>(), if cut { &rest } else { "" })
}

fn words(row: &[Option<super::Entry>]) -> Vec<String> {
    let word = |entry: &super::Entry| format!("{}:{}", entry.destination, entry.len);
    row.iter().map(|entry| entry.as_ref().map_or("-".into(), word)).collect()
}
