//! Reports a finished conversion.

use super::ConvertOptions;
use crate::failure::CommandFailure;
use crate::output::{self, print_json};
use crate::words::{TIE, bytes, counted, filled};
use serde::Serialize;

/// The outcome of a conversion.
#[derive(Serialize)]
pub struct ConvertReport {
    pub name: Option<String>,
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
    /// Most bytes of memory that the process had, if the system says so.
    pub peak_resident_bytes: Option<u64>,
}

impl ConvertReport {
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
        format!("{line}, in {:.2}{TIE}s", self.seconds)
    }
}

pub fn peak_resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

pub fn print(options: &ConvertOptions, report: &ConvertReport) -> Result<(), CommandFailure> {
    if options.json {
        print_json(report)
    } else {
        output::print(&filled("", &report.in_words(), usize::MAX))
    }
}
