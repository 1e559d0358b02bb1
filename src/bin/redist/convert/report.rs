//! Reports a finished conversion.

use crate::failure::CommandFailure;
use crate::output::{self, print_json};
use crate::words::{TIE, bytes, counted, filled};
use redist_files::{ArrayOutcome, Expected};
use serde::Serialize;
use std::time::Instant;

/// Tells of a run, on its first rank alone.
pub struct Reporter {
    /// `true` to print JSON.
    pub json: bool,
    /// `true` on the first rank.
    pub is_first: bool,
    /// Number of ranks.
    pub ranks: usize,
    pub began: Instant,
}

/// The outcome of a conversion.
#[derive(Serialize)]
pub struct ConvertReport {
    pub name: Option<String>,
    /// Number of ranks that shared the work.
    pub ranks: usize,
    /// Bytes of all elements that were converted or compared.
    pub bytes: u64,
    /// Bytes of an element.
    pub element_bytes: usize,
    /// Number of source files and of destination files.
    pub files: [usize; 2],
    pub checksum: Option<String>,
    /// `true` if every element was compared.
    pub checked: bool,
    /// Seconds of the work.
    pub seconds: f64,
    /// Most bytes of memory that the first rank had, if the system says so.
    pub peak_resident_bytes: Option<u64>,
}

impl ConvertReport {
    fn of(name: Option<String>, outcome: &ArrayOutcome, (checked, by): (bool, &Reporter)) -> Self {
        Self {
            name,
            ranks: by.ranks,
            bytes: outcome.bytes,
            element_bytes: outcome.element_bytes,
            files: outcome.files,
            checksum: outcome.checksum.clone(),
            checked,
            seconds: by.began.elapsed().as_secs_f64(),
            peak_resident_bytes: peak_resident_bytes(),
        }
    }

    fn in_words(&self) -> String {
        let all = bytes(usize::try_from(self.bytes).unwrap_or(usize::MAX));
        let [from, to] = self.files.map(|files| counted(files, "file"));
        let (what, between) = match self.checksum {
            Some(_) => ("converted", "to"),
            None => ("compared", "and"),
        };
        let name = self.name.as_ref().map_or(String::new(), |name| format!("{name}: "));
        let mut line = format!("{name}{what} {all} from {from} {between} {to}");
        if let Some(checksum) = &self.checksum {
            line += &format!(", checksum {checksum}");
        }
        if self.checked {
            line += ", every element is that of the source";
        }
        format!("{line}, {}in {:.2}{TIE}s", by_ranks(self.ranks), self.seconds)
    }
}

/// Words on ranks, where there are several.
fn by_ranks(ranks: usize) -> String {
    if ranks > 1 { format!("by {} ", counted(ranks, "rank")) } else { String::new() }
}

fn peak_resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

impl Reporter {
    /// Tells of the only array.
    pub fn one(
        &self,
        (name, outcome): (Option<String>, &ArrayOutcome),
        checked: bool,
    ) -> Result<(), CommandFailure> {
        let report = ConvertReport::of(name, outcome, (checked, self));
        self.print(&report, || filled("", &report.in_words(), usize::MAX))
    }

    /// Tells of many arrays.
    pub fn many(&self, outcomes: &[ArrayOutcome], checked: bool) -> Result<(), CommandFailure> {
        let report = ManyReport::of(outcomes, (checked, self));
        self.print(&report, || report.in_words())
    }

    /// Tells of files that a run would write.
    pub fn expected(&self, expected: &Expected) -> Result<(), CommandFailure> {
        let report = ExpectedReport::of(expected);
        self.print(&report, || report.in_words())
    }

    fn print(
        &self,
        report: &impl Serialize,
        in_words: impl FnOnce() -> String,
    ) -> Result<(), CommandFailure> {
        match (self.is_first, self.json) {
            (false, _) => Ok(()),
            (true, true) => print_json(report),
            (true, false) => output::print(&in_words()),
        }
    }
}

/// The outcome of many arrays.
#[derive(Serialize)]
struct ManyReport {
    arrays: Vec<ArrayReport>,
    /// Number of ranks that shared the work.
    ranks: usize,
    /// Bytes of all elements of all arrays.
    bytes: u64,
    /// `true` if every element was compared.
    checked: bool,
    /// Number of arrays that a killed run had written.
    kept: usize,
    /// Seconds of the work.
    seconds: f64,
    /// Most bytes of memory that the first rank had, if the system says so.
    peak_resident_bytes: Option<u64>,
}

/// The outcome of one of many arrays.
#[derive(Serialize)]
struct ArrayReport {
    name: String,
    /// Bytes of all elements.
    bytes: u64,
    /// Bytes of an element.
    element_bytes: usize,
    checksum: Option<String>,
    /// `true` if a killed run had written it.
    kept: bool,
}

impl ManyReport {
    fn of(outcomes: &[ArrayOutcome], (checked, by): (bool, &Reporter)) -> Self {
        let arrays = outcomes.iter().map(|outcome| ArrayReport {
            name: outcome.name.clone(),
            bytes: outcome.bytes,
            element_bytes: outcome.element_bytes,
            checksum: outcome.checksum.clone(),
            kept: outcome.kept,
        });
        Self {
            arrays: arrays.collect(),
            ranks: by.ranks,
            bytes: outcomes.iter().map(|outcome| outcome.bytes).sum(),
            checked,
            kept: outcomes.iter().filter(|outcome| outcome.kept).count(),
            seconds: by.began.elapsed().as_secs_f64(),
            peak_resident_bytes: peak_resident_bytes(),
        }
    }

    /// A line for each checksum, and one for all arrays.
    fn in_words(&self) -> String {
        let mut text = String::new();
        for array in &self.arrays {
            if let Some(checksum) = &array.checksum {
                text += &format!("{checksum}  {}\n", array.name);
            }
        }
        let wrote = self.arrays.iter().any(|array| array.checksum.is_some());
        let all = bytes(usize::try_from(self.bytes).unwrap_or(usize::MAX));
        let arrays = counted(self.arrays.len(), "array");
        let mut line =
            format!("{} {all} of {arrays}", if wrote { "converted" } else { "compared" });
        if self.kept > 0 {
            line += &format!(", {} of them by a run that was killed", self.kept);
        }
        if self.checked {
            line += ", every element is that of the source";
        }
        let rate = bytes((self.bytes as f64 / self.seconds.max(1e-9)) as usize);
        line += &format!(", {}in {:.2}{TIE}s: {rate}/s", by_ranks(self.ranks), self.seconds);
        text + &filled("", &line, usize::MAX)
    }
}

/// The files that a run would write.
#[derive(Serialize)]
struct ExpectedReport {
    arrays: Vec<ExpectedArray>,
    files: Vec<ExpectedFile>,
    /// Number of files that are read.
    files_read: usize,
    /// Bytes of all elements.
    bytes: u64,
    /// Bytes of all files that are written.
    disk_bytes: u64,
    /// Most bytes of elements in memory at a time.
    memory_bytes: usize,
    /// Bytes of files that wait in the folder for temporary files, until objects get them.
    scratch_bytes: u64,
}

/// An array that a run would write.
#[derive(Serialize)]
struct ExpectedArray {
    name: String,
    /// Bytes of all elements.
    bytes: u64,
    plan: String,
}

/// A file that a run would write.
#[derive(Serialize)]
struct ExpectedFile {
    name: String,
    /// Bytes of the file.
    bytes: u64,
}

impl ExpectedReport {
    fn of(expected: &Expected) -> Self {
        let arrays = expected.arrays.iter().map(|(name, bytes, plan)| ExpectedArray {
            name: name.clone(),
            bytes: *bytes,
            plan: plan.clone(),
        });
        let files = expected
            .files
            .iter()
            .map(|(path, bytes)| ExpectedFile { name: path.display().to_string(), bytes: *bytes });
        Self {
            arrays: arrays.collect(),
            files: files.collect(),
            files_read: expected.read,
            bytes: expected.arrays.iter().map(|(_, bytes, _)| bytes).sum(),
            disk_bytes: expected.files.iter().map(|(_, bytes)| bytes).sum(),
            memory_bytes: expected.memory,
            scratch_bytes: expected.scratch,
        }
    }

    fn in_words(&self) -> String {
        let in_words = |of: u64| bytes(usize::try_from(of).unwrap_or(usize::MAX));
        let mut text = String::new();
        for ExpectedArray { name, bytes, plan } in &self.arrays {
            text += &filled("", &format!("array {name}: {}: {plan}", in_words(*bytes)), usize::MAX);
        }
        for ExpectedFile { name, bytes } in &self.files {
            text += &filled("", &format!("file {name}: {}", in_words(*bytes)), usize::MAX);
        }
        let line = format!(
            "{} of {} from {} to {}: {} on the disk, at most {} of elements in memory; nothing is written",
            in_words(self.bytes),
            counted(self.arrays.len(), "array"),
            counted(self.files_read, "file"),
            counted(self.files.len(), "file"),
            in_words(self.disk_bytes),
            bytes(self.memory_bytes)
        );
        let line = match self.scratch_bytes {
            0 => line,
            waiting => format!(
                "{line}; {} wait in {} until they are sent",
                in_words(waiting),
                std::env::temp_dir().display()
            ),
        };
        text + &filled("", &line, usize::MAX)
    }
}
