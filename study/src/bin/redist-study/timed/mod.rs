//! `redist study schedules-timed` and `moves-timed`: `study/data/links`, as
//! `redist-study-links` has measured it.

pub mod moves;
pub mod schedules;

use super::context::Context;
use super::report::Report;
use anyhow::Context as _;
use redist_measuring::quartiles;
use serde::de::DeserializeOwned;

fn not_measured(folder: &'static str, title: &'static str) -> Report {
    let text = "`docs/images/make-links` measures it between emulated nodes, as root";
    let paragraphs = vec![format!("Not measured: {text}.")];
    let missing = vec![format!("all of it, because there is no file of measurements; {text}")];
    Report { folder, title, paragraphs, missing, ..Report::default() }
}

fn read<Row: DeserializeOwned>(context: &Context, file: &str) -> anyhow::Result<Vec<Row>> {
    let path = context.data.join("links").join(file);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let cannot = || format!("cannot read {}", path.display());
    let mut reader = csv::Reader::from_path(&path).with_context(cannot)?;
    reader.deserialize().map(|row| row.with_context(cannot)).collect()
}

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

fn in_a_name(link: &str) -> &str {
    if link.contains(',') { "shallow" } else { "deep" }
}
