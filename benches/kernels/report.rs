//! The table, its medians by regime, and the CSV.

/// The columns beside `memcpy`, which is the unit.
const COLUMNS: [&str; 5] = ["static", "run time", "one by one", "table", "vectors"];

/// Characters of each column.
const WIDTHS: [usize; 5] = [8, 8, 10, 8, 8];

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
        let fractions = columns.iter().copied().zip(seconds.iter().map(|seconds| memcpy / seconds)).skip(1).collect();
        Self { bytes, kernel, memcpy, fractions }
    }

    fn of(&self, column: &str) -> Option<f64> {
        self.fractions.iter().find(|(name, _)| *name == column).map(|(_, fraction)| *fraction)
    }
}

/// What a case counts for: its size, its regime, its direction.
fn group(name: &str, run: usize) -> String {
    let size: Vec<&str> = name.split(' ').take(2).collect();
    let work = if name.ends_with("unpack") { "unpack" } else { "pack" };
    let regime = match run {
        0..=4 => "runs of 4 bytes",
        5..=8 => "runs of 8 bytes",
        9..=32 => "runs of 9 to 32 bytes",
        33..usize::MAX => "runs from 33 bytes on",
        _ => "two dimensions",
    };
    format!("{}, {regime}, {work}", size.join(" "))
}

/// All cases so far.
pub struct Report {
    rows: Vec<(String, usize, Row)>,
}

impl Report {
    /// Prints the table's head.
    pub fn new() -> Self {
        println!("fractions of memcpy of the same bytes (medians of interleaved passes)");
        println!(
            "{:<50} {:>8} {:>8} {:>10} {:>8} {:>8}  kernel at run time",
            "", "static", "run time", "one by one", "table", "vectors"
        );
        Self { rows: Vec::new() }
    }

    /// Prints and keeps a case; `run` is the length of its runs in bytes, as far as it has one.
    pub fn add(&mut self, name: &str, run: usize, row: Row) {
        print!("{name:<50}");
        for (column, width) in COLUMNS.iter().zip(WIDTHS) {
            match row.of(column) {
                Some(fraction) => print!(" {fraction:>width$.2}"),
                None => print!(" {:>width$}", "–"),
            }
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
        println!("\nmedians over the sweep");
        for (group, rows) in groups {
            print!("{:<50}", format!("{group} ({})", rows.len()));
            for (column, width) in COLUMNS.iter().zip(WIDTHS) {
                let mut all: Vec<f64> = rows.iter().filter_map(|row| row.of(column)).collect();
                all.sort_by(f64::total_cmp);
                match all.get(all.len() / 2) {
                    Some(median) => print!(" {median:>width$.2}"),
                    None => print!(" {:>width$}", "–"),
                }
            }
            println!();
        }
    }

    /// The table as comma-separated values.
    pub fn csv(&self) -> String {
        let mut text = String::from("case,bytes,memcpy_seconds,static,run_time,one_by_one,table,vectors,kernel\n");
        for (name, _, row) in &self.rows {
            text += &format!("\"{name}\",{},{:e}", row.bytes, row.memcpy);
            for column in COLUMNS {
                text += &row.of(column).map_or(String::from(","), |fraction| format!(",{fraction:.3}"));
            }
            text += &format!(",\"{}\"\n", row.kernel);
        }
        text
    }
}
