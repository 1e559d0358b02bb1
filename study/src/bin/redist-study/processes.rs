//! A study in several processes, because the state of memory, which changes times, varies.

use anyhow::{Context as _, ensure};
use redist_measuring::launch::bound_to_this;
use redist_measuring::{median, quartiles};
use serde::Serialize;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

pub fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

/// A row that has times, and else what is the same in all processes.
pub trait Timed: Clone + Serialize {
    fn times(&mut self) -> Vec<&mut f64>;
}

/// Returns the row without its times.
fn key<T: Timed>(row: &T) -> anyhow::Result<String> {
    let mut row = row.clone();
    row.times().into_iter().for_each(|time| *time = 0.0);
    Ok(serde_json::to_string(&row)?)
}

type Told = HashMap<String, Vec<f64>>;

/// The most less the least, over the median, of each row's processes.
pub type Apart = Vec<f64>;

pub fn launch(study: &str, number: usize, folder: &Path, quick: bool) -> anyhow::Result<()> {
    let mut command = bound_to_this(std::env::current_exe()?);
    command.arg(study).arg("--out").arg(folder).args(["--process", &number.to_string()]);
    command.args(quick.then_some("--quick")).stdout(std::process::Stdio::null());
    let status = command.status()?;
    ensure!(status.success(), "{study} in process {number} ended with {status}");
    Ok(())
}

/// Writes times for the process that launched this one.
pub fn tell<T: Timed>(path: &Path, rows: &mut [T]) -> anyhow::Result<()> {
    let times = |row: &mut T| row.times().into_iter().map(|time| *time).collect();
    let told: anyhow::Result<Told> =
        rows.iter_mut().map(|row| Ok((key(row)?, times(row)))).collect();
    fs::write(path, serde_json::to_string(&told?)?).with_context(|| cannot_write(path))
}

/// Replaces each time by the median of the processes that have the row. Returns their distances.
pub fn merge<T: Timed>(folders: &[&Path], name: &str, rows: &mut [T]) -> anyhow::Result<Apart> {
    let read = |folder: &&Path| -> anyhow::Result<Told> {
        let path = folder.join(format!("{name}.json"));
        let text = fs::read_to_string(&path).with_context(|| format!("no {}", path.display()))?;
        Ok(serde_json::from_str(&text)?)
    };
    let others: Vec<Told> = folders.iter().map(read).collect::<Result<_, _>>()?;
    let mut apart = Vec::new();
    for row in rows {
        let key = key(row)?;
        let same: Vec<&Vec<f64>> = others.iter().filter_map(|told| told.get(&key)).collect();
        for (number, time) in row.times().into_iter().enumerate() {
            let mut all: Vec<f64> = same.iter().map(|times| times[number]).chain([*time]).collect();
            all.sort_unstable_by(f64::total_cmp);
            *time = median(&all);
            apart.push((all[all.len() - 1] - all[0]) / *time);
        }
    }
    Ok(apart)
}

pub fn in_words(processes: usize, apart: &Apart) -> String {
    let [_, middle, upper] = quartiles(apart).map(|part| part * 100.0);
    let most = apart.iter().copied().fold(0.0, f64::max) * 100.0;
    format!(
        "Times are medians of {processes} processes. The most is above the least by {middle:.0} % of the median in the middle row, by \
         at most {upper:.0} % in three quarters of them, and by {most:.0} % in the worst."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name, and a time in seconds.
    #[derive(Clone, Serialize)]
    struct Row(&'static str, f64);

    impl Timed for Row {
        fn times(&mut self) -> Vec<&mut f64> {
            vec![&mut self.1]
        }
    }

    #[test]
    fn times_are_medians_of_the_processes_that_have_the_row() {
        let out = std::env::temp_dir().join(format!("redist-processes-{}", std::process::id()));
        let folder = |number: usize| out.join(number.to_string());
        let told = [vec![Row("a", 4.0), Row("b", 1.0)], vec![Row("b", 5.0), Row("c", 9.0)]];
        for (number, mut rows) in told.into_iter().enumerate() {
            fs::create_dir_all(folder(number)).unwrap();
            tell(&folder(number).join("rows.json"), &mut rows).unwrap();
        }
        let (first, second) = (folder(0), folder(1));
        let mut rows = [Row("a", 2.0), Row("b", 2.0)];
        let apart = merge(&[&first, &second], "rows", &mut rows).unwrap();
        assert_eq!(rows.map(|row| row.1), [3.0, 2.0]);
        assert_eq!(apart, [2.0 / 3.0, 2.0]);
        assert!(merge(&[&first], "others", &mut [Row("a", 1.0)]).is_err());
        fs::remove_dir_all(out).unwrap();
    }
}
