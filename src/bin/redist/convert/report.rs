use super::ConvertOptions;
use super::side::StoredSide;
use crate::failure::CommandFailure;
use crate::output::{self, print_json};
use crate::words::{TIE, bytes, counted, filled};
use serde::Serialize;

#[derive(Serialize)]
pub struct ConvertReport {
    pub name: Option<String>,
    pub bytes: u64,
    pub element_bytes: usize,
    pub files: [usize; 2],
    pub checksum: Option<String>,
    pub checked: bool,
    pub seconds: f64,
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

pub fn warn_of_others<const D: usize>(side: &StoredSide<D>) {
    let last = (0..side.cells()).map(|number| side.descriptor.nth_rank(number)).max();
    let other = side.pattern.path(last.map_or(0, |last| last + 1));
    if !side.pattern.is_global() && other.symlink_metadata().is_ok() {
        eprintln!("warning: {}: stays, and is of no rank of this layout", other.display());
    }
}

pub fn print(options: &ConvertOptions, report: &ConvertReport) -> Result<(), CommandFailure> {
    if options.json {
        print_json(report)
    } else {
        output::print(&filled("", &report.in_words(), usize::MAX))
    }
}
