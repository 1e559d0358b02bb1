//! Folders and settings that all studies share.

use crate::processes::{self, Apart, Timed, cannot_write};
use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressFinish, ProgressIterator, ProgressStyle};
use serde::Serialize;
use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

/// The folders, the size and the processes of a run.
pub struct Context {
    out: PathBuf,
    pub data: PathBuf,
    /// Cases are few and small, to try the studies out.
    pub quick: bool,
    /// The run has launched this process for a study's times.
    pub is_launched: bool,
    pub launched: Vec<PathBuf>,
    /// Distances between processes, in the study that runs.
    apart: RefCell<Apart>,
}

impl Context {
    pub fn new(out: PathBuf, data: PathBuf, quick: bool) -> anyhow::Result<Self> {
        make_folder(&out)?;
        let (launched, apart) = (Vec::new(), RefCell::default());
        Ok(Self { out, data, quick, is_launched: false, launched, apart })
    }

    pub fn scale<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }

    pub fn path(&self, name: &str) -> anyhow::Result<PathBuf> {
        let path = self.out.join(name);
        path.parent().map_or(Ok(()), make_folder)?;
        Ok(path)
    }

    pub fn write(&self, name: &str, text: &str) -> anyhow::Result<PathBuf> {
        let path = self.path(name)?;
        fs::write(&path, text).with_context(|| cannot_write(&path))?;
        Ok(path)
    }

    pub fn write_rows<T: Serialize>(&self, name: &str, rows: &[T]) -> anyhow::Result<()> {
        let path = self.path(name)?;
        let mut writer = csv::Writer::from_path(&path).with_context(|| cannot_write(&path))?;
        for row in rows {
            writer.serialize(row).with_context(|| cannot_write(&path))?;
        }
        writer.flush().with_context(|| cannot_write(&path))
    }

    /// Writes rows, with each time replaced by the median of all processes of the study.
    pub fn write_timed<T: Timed>(&self, name: &str, rows: &mut [T]) -> anyhow::Result<()> {
        if self.is_launched {
            processes::tell(&self.path(&format!("{name}.json"))?, rows)?;
        }
        let folders: Vec<&Path> = self.launched.iter().map(PathBuf::as_path).collect();
        self.apart.borrow_mut().extend(processes::merge(&folders, name, rows)?);
        self.write_rows(name, rows)
    }

    pub fn apart(&self) -> Option<String> {
        let apart = self.apart.take();
        let processes = self.launched.len() + 1;
        (processes > 1 && !apart.is_empty()).then(|| processes::in_words(processes, &apart))
    }

    pub fn folder_of(&self, process: usize) -> PathBuf {
        self.out.join(format!("process-{process}"))
    }

    /// Goes through items, and shows how far.
    pub fn progress<I: IntoIterator<IntoIter: ExactSizeIterator>>(
        &self,
        what: &'static str,
        items: I,
    ) -> impl Iterator<Item = I::Item> {
        let items = items.into_iter();
        let style = ProgressStyle::with_template("{msg:32} {wide_bar} {pos}/{len}, {eta} left");
        let bar = ProgressBar::new(items.len() as u64).with_message(what);
        let bar = bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        items.progress_with(bar.with_finish(ProgressFinish::AndClear))
    }
}

fn make_folder(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    /// A row of a table.
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Row {
        blocks: String,
        /// Number of ranks.
        ranks: usize,
        seconds: f64,
    }

    #[test]
    fn rows_come_back_from_csv() {
        let out = std::env::temp_dir().join(format!("redist-study-{}", std::process::id()));
        let context = Context::new(out.clone(), PathBuf::new(), true).unwrap();
        let rows = [("30×50, with a comma", 4, 1.5e-9), ("\"quoted\"", 0, 0.1 + 0.2)]
            .map(|(blocks, ranks, seconds)| Row { blocks: blocks.into(), ranks, seconds });
        context.write_rows("deep/rows.csv", &rows).unwrap();
        let mut reader = csv::Reader::from_path(out.join("deep/rows.csv")).unwrap();
        assert_eq!(reader.headers().unwrap(), &["blocks", "ranks", "seconds"][..]);
        let back: Vec<Row> = reader.deserialize().map(Result::unwrap).collect();
        assert_eq!(back, rows);
        fs::remove_dir_all(out).unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let file = std::env::temp_dir().join(format!("redist-study-file-{}", std::process::id()));
        fs::write(&file, "").unwrap();
        let failure = Context::new(file.join("below"), PathBuf::new(), true).err().unwrap();
        assert!(failure.to_string().contains("below"));
        fs::remove_file(file).unwrap();
    }
}
