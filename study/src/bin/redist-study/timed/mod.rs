//! `redist study schedules-timed` and `moves-timed`: what was measured over links between nodes.
//!
//! Nothing is measured here: that takes nodes and MPI, and `redist-peers --study` does it. The
//! files that it wrote are in `study/data/links`.
//!
//! | file | |
//! |---|---|
//! | `schedules.rs` | the experiments of Park, Prasanna and Raghavendra |
//! | `moves.rs` | those of Hsu and Chung |

pub mod moves;
pub mod schedules;

use super::context::Context;
use super::report::Report;
use anyhow::Context as _;
use redist_measuring::quartiles;
use serde::de::DeserializeOwned;

/// The report where nothing was measured.
fn not_measured(folder: &'static str, title: &'static str) -> Report {
    let text = "`docs/images/make-links` measures it between emulated nodes, as root";
    let paragraphs = vec![format!("Not measured: {text}.")];
    let missing = vec![format!("all of it, because there is no file of measurements; {text}")];
    Report { folder, title, paragraphs, missing, ..Report::default() }
}

/// The rows of a file that was measured; none where there is no such file.
///
/// # Errors
/// A file with other columns.
fn read<Row: DeserializeOwned>(context: &Context, file: &str) -> anyhow::Result<Vec<Row>> {
    let path = context.data.join("links").join(file);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let cannot = || format!("cannot read {}", path.display());
    let mut reader = csv::Reader::from_path(&path).with_context(cannot)?;
    reader.deserialize().map(|row| row.with_context(cannot)).collect()
}

/// How far processes of a row are apart, in words; nothing where only one has measured.
fn apart(what: &str, rows: impl Iterator<Item = f64>) -> Option<String> {
    let rows: Vec<f64> = rows.collect();
    let [_, middle, upper] = quartiles(&rows).map(|part| part * 100.0);
    (upper > 0.0).then(|| {
        format!(
            "Between processes of a row, {what} are apart by {middle:.0} % in the middle row, and by at most {upper:.0} % in three \
             quarters of them."
        )
    })
}

fn in_words(nodes: usize, link: &str) -> String {
    let (rate, buffers) = link.split_once(',').unwrap_or((link, "deep"));
    format!("{nodes} nodes, links of {rate}, {buffers} buffers")
}

/// A link as a part of a file's name.
fn in_a_name(link: &str) -> &str {
    if link.contains(',') { "shallow" } else { "deep" }
}
