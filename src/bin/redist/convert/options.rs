//! Options of `redist convert`.

use crate::input::InputOptions;
use clap::Args;

/// Files of one layout to files of another: a file for each rank, or one file with the whole array.
#[derive(Args)]
pub struct ConvertOptions {
    #[command(flatten)]
    pub input: InputOptions,

    /// The source's files: a name with {rank} in it, or one file with the whole array. Files of
    /// NumPy's where it ends in .npy, else nothing but elements.
    #[arg(long = "in", value_name = "FILES")]
    pub sources: String,

    /// The destination's files, likewise.
    #[arg(long = "out", value_name = "FILES")]
    pub destinations: String,

    /// The most memory for elements, all threads together.
    #[arg(long, value_name = "BYTES", default_value = "256MiB", value_parser = memory)]
    pub memory: usize,

    /// Threads; as many as the machine has processors, unless told.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,

    /// Replace files that are there.
    #[arg(long)]
    pub force: bool,

    /// Read both sides again and compare every element, before the files get their names.
    #[arg(long)]
    pub check: bool,

    /// Compare files that are there, and write nothing.
    #[arg(long, conflicts_with_all = ["force", "check", "no_sync"])]
    pub check_only: bool,

    /// Do not wait until all is on the disk.
    #[arg(long)]
    pub no_sync: bool,

    /// Tell the progress also where standard error is no terminal.
    #[arg(long)]
    pub progress: bool,

    /// Print one line of JSON; docs/cli.md has its schema.
    #[arg(long)]
    pub json: bool,
}

/// Least bytes of memory that the user may allow.
const MIN_BYTES: usize = 64 << 10;

/// `8MiB`, `1_000_000`.
fn memory(text: &str) -> Result<usize, String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let shift = match unit.trim().trim_end_matches("iB") {
        "" if unit.trim() != "iB" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("expected bytes, as in 1048576, 8MiB or 2GiB".into()),
    };
    let number: Option<usize> = digits.replace('_', "").parse().ok();
    let bytes = number.and_then(|number| number.checked_mul(1 << shift));
    match bytes {
        Some(bytes) if bytes >= MIN_BYTES => Ok(bytes),
        Some(_) => Err("at least 64KiB are needed".into()),
        None => Err("expected bytes, as in 1048576, 8MiB or 2GiB".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::memory;

    #[test]
    fn memory_has_units() {
        assert_eq!(memory("8MiB"), Ok(8 << 20));
        assert_eq!(memory("1_000_000"), Ok(1_000_000));
        assert_eq!(memory("2G"), Ok(2 << 30));
        for wrong in ["", "8MB", "MiB", "64iB", "1KiB", "99999999999TiB", "-1"] {
            assert!(memory(wrong).is_err(), "{wrong}");
        }
    }
}
