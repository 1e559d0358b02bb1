//! The table, its medians by regime, and the CSV.

/// The columns beside `memcpy`, which is the unit, and their characters.
const COLUMNS: [(&str, usize); 6] = [
    ("static", 8),
    ("run time", 8),
    ("one by one", 10),
    ("table", 8),
    ("vectors", 8),
    ("nontemporal", 11),
];

/// Columns whose fractions of the segment table's are of interest, too.
const AGAINST_TABLE: [&str; 2] = ["static", "run time"];

/// One case, measured.
pub struct Row {
    bytes: usize,
    kernel: String,
    memcpy: f64,
    /// Fractions of `memcpy`, by column.
    fractions: Vec<(&'static str, f64)>,
}

impl Row {
    /// The first column is `memcpy`.
    pub fn new(bytes: usize, kernel: String, columns: &[&'static str], seconds: Vec<f64>) -> Self {
        let memcpy = seconds[0];
        let fractions = columns
            .iter()
            .copied()
            .zip(seconds.iter().map(|seconds| memcpy / seconds))
            .skip(1)
            .collect();
        Self { bytes, kernel, memcpy, fractions }
    }

    /// How many times as fast as the segment table.
    fn against_table(&self, column: &str) -> Option<f64> {
        Some(self.of(column)? / self.of("table")?)
    }

    /// The fraction of `memcpy`'s speed in a column.
    pub fn of(&self, column: &str) -> Option<f64> {
        self.fractions.iter().find(|(name, _)| *name == column).map(|(_, fraction)| *fraction)
    }
}

/// What a case counts for: its size, its regime, its direction.
fn group(name: &str, run: usize) -> String {
    let size: Vec<&str> = name.split(' ').take(2).collect();
    let work = if name.ends_with("unpack") { "unpack" } else { "pack" };
    let regime = match run {
        0..=2 => "runs of 1 or 2 bytes",
        3..=4 => "runs of 4 bytes",
        5..=8 => "runs of 8 bytes",
        9..=16 => "runs of 16 bytes",
        17..=32 => "runs of 32 bytes",
        33..usize::MAX => "runs from 33 bytes on",
        _ => "two dimensions",
    };
    format!("{}, {regime}, {work}", size.join(" "))
}

/// The middle one, where there are any.
fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Prints a figure, or a dash where there is none.
fn print(figure: Option<f64>, width: usize) {
    match figure {
        Some(figure) => print!(" {figure:>width$.2}"),
        None => print!(" {:>width$}", "–"),
    }
}

/// All cases so far.
pub struct Report {
    rows: Vec<(String, usize, Row)>,
    columns: &'static [(&'static str, usize)],
}

impl Report {
    /// Prints the table's head, which has a column for stores past the caches only if it is asked
    /// for.
    pub fn new(nontemporal: bool) -> Self {
        println!("fractions of memcpy of the same bytes (medians of interleaved passes)");
        let columns =
            if nontemporal { &COLUMNS } else { COLUMNS.split_last().expect("there are columns").1 };
        let report = Self { rows: Vec::new(), columns };
        report.head("");
        println!("  kernel at run time");
        report
    }

    fn head(&self, first: &str) {
        print!("{first:<50}");
        for (column, width) in self.columns {
            print!(" {column:>width$}");
        }
    }

    /// Prints and keeps a case; `run` is the length of its runs in bytes, as far as it has one.
    pub fn add(&mut self, name: &str, run: usize, row: Row) {
        print!("{name:<50}");
        for (column, width) in self.columns {
            print(row.of(column), *width);
        }
        println!("  {}", row.kernel);
        self.rows.push((name.into(), run, row));
    }

    /// Medians over the sweep by size, run length and direction.
    pub fn summary(&self) {
        let mut groups: Vec<(String, Vec<&Row>)> = Vec::new();
        for (name, run, row) in &self.rows {
            let group = group(name, *run);
            match groups.iter_mut().find(|(name, _)| *name == group) {
                Some((_, rows)) => rows.push(row),
                None => groups.push((group, vec![row])),
            }
        }
        println!("\nmedians over the sweep; the last two columns are times the speed of the table");
        self.head("");
        println!("{}", AGAINST_TABLE.map(|column| format!(" {column:>8} ×")).concat());
        for (group, rows) in groups {
            print!("{:<50}", format!("{group} ({})", rows.len()));
            for (column, width) in self.columns {
                print(median(rows.iter().filter_map(|row| row.of(column))), *width);
            }
            for column in AGAINST_TABLE {
                print(median(rows.iter().filter_map(|row| row.against_table(column))), 10);
            }
            println!();
        }
    }

    /// The table as comma-separated values.
    pub fn csv(&self) -> String {
        let names = COLUMNS.map(|(column, _)| column.replace(' ', "_")).join(",");
        let mut text = format!("case,bytes,memcpy_seconds,{names},kernel\n");
        for (name, _, row) in &self.rows {
            text += &format!("\"{name}\",{},{:e}", row.bytes, row.memcpy);
            for (column, _) in COLUMNS {
                text +=
                    &row.of(column).map_or(String::from(","), |fraction| format!(",{fraction:.3}"));
            }
            text += &format!(",\"{}\"\n", row.kernel);
        }
        text
    }
}
