//! Options of `redist convert` and `redist verify-files`.

use crate::failure::CommandFailure;
use crate::input::InputOptions;
use clap::{Args, ValueEnum};
use redist_files::{Placing, RunOptions};
use std::path::{Path, PathBuf};

/// Files of one layout to files of another: a file for each rank, or one file with the whole array.
/// Instead of a redistribution, a manifest (.toml, .json) lists many arrays.
#[derive(Args)]
pub struct ConvertOptions {
    #[command(flatten)]
    pub files: FileOptions,

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

    /// Say what would be written, and write nothing.
    #[arg(long, conflicts_with_all = ["check_only"])]
    pub dry_run: bool,
}

/// Proves that two sets of files hold the same arrays under two layouts, whatever their formats.
#[derive(Args)]
pub struct VerifyFilesOptions {
    #[command(flatten)]
    pub files: FileOptions,
}

/// The user's word on launchers of MPI: one has started this process, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Launched {
    Auto,
    Yes,
    No,
}

/// The files of both sides, and how they are read.
#[derive(Args)]
pub struct FileOptions {
    #[command(flatten)]
    pub input: InputOptions,

    /// The source's files: a name with {rank} in it, or one file with the whole array. The ending
    /// says the format: .npy, .safetensors, .zarr, any other for nothing but elements.
    #[arg(long = "in", value_name = "FILES")]
    pub sources: Option<String>,

    /// The destination's files, likewise.
    #[arg(long = "out", value_name = "FILES")]
    pub destinations: Option<String>,

    /// The format of the files, whatever their names end in: raw, records, npy, npz, safetensors, zarr or
    /// zarr2.
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<String>,

    /// The format of the source's files alone.
    #[arg(long, value_name = "FORMAT")]
    pub in_format: Option<String>,

    /// The format of the destination's files alone.
    #[arg(long, value_name = "FORMAT")]
    pub out_format: Option<String>,

    /// Bytes before the first element, or record, of each file of the source.
    #[arg(long, value_name = "BYTES")]
    pub skip: Option<u64>,

    /// Bytes from an element of the source to the next.
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub stride: Option<u64>,

    /// Byte order of the source's numbers, big or little; that of the machine, unless told.
    #[arg(long, value_name = "ORDER", value_parser = Placing::byte_order)]
    pub in_byte_order: Option<bool>,

    /// Byte order of the destination's numbers.
    #[arg(long, value_name = "ORDER", value_parser = Placing::byte_order)]
    pub out_byte_order: Option<bool>,

    /// Extents of the destination's chunks, in elements, as in 64,128; blocks of its layout, unless told.
    #[arg(long, value_name = "EXTENTS", value_delimiter = ',')]
    pub chunks: Option<Vec<usize>>,

    /// Extents of the destination's chunks that share a file, in elements.
    #[arg(long, value_name = "EXTENTS", value_delimiter = ',')]
    pub shards: Option<Vec<usize>>,

    /// The compression of the destination's chunks: zstd, gzip, blosc, zstd:9 or none.
    #[arg(long, value_name = "CODEC")]
    pub codec: Option<String>,

    /// The array's name in files that hold several; the item's name, unless told.
    #[arg(long, value_name = "NAME")]
    pub array: Option<String>,

    /// The most memory for elements, all threads of a rank together.
    #[arg(long, value_name = "BYTES", default_value = "256MiB", value_parser = memory)]
    pub memory: usize,

    /// Threads of a rank; unless told, as many as the machine has processors for it.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,

    /// Share the work with the ranks of a launch by mpiexec or srun: yes, no, or auto, which looks at
    /// the launcher's variables. With no, every process does all the work by itself.
    #[arg(long, value_name = "WHETHER", default_value = "auto")]
    pub mpi: Launched,

    /// Tell the progress also where standard error is no terminal.
    #[arg(long)]
    pub progress: bool,

    /// Print one line of JSON; docs/cli.md has its schema.
    #[arg(long)]
    pub json: bool,
}

impl FileOptions {
    /// Returns the manifest's file, if the text is the name of one.
    pub fn manifest(&self) -> Result<Option<PathBuf>, CommandFailure> {
        let path = Path::new(&self.input.redistribution);
        let ending = path.extension().and_then(|ending| ending.to_str());
        if !matches!(ending, Some("toml" | "json")) {
            return Ok(None);
        }
        let formats = [&self.format, &self.in_format, &self.out_format];
        let given = [&self.sources, &self.destinations, &self.array, &self.input.name, &self.codec];
        let is_given = given.into_iter().chain(formats).any(Option::is_some)
            || [self.skip, self.stride].iter().any(Option::is_some)
            || [&self.chunks, &self.shards].iter().any(|extents| extents.is_some())
            || [self.in_byte_order, self.out_byte_order].iter().any(Option::is_some);
        let InputOptions { set, element_bytes, relabel, .. } = &self.input;
        if is_given || !set.is_empty() || element_bytes.is_some() || *relabel {
            return Err(CommandFailure::InputOptions(
                "error: a manifest says the files, formats, elements and layouts; leave out --in, \
                 --out, --format, --in-format, --out-format, --array, --name, --set, \
                 --element-bytes, --relabel, --skip, --stride, --chunks, --shards, --codec and byte orders"
                    .into(),
            ));
        }
        Ok(Some(path.into()))
    }
}

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
        Some(bytes) if bytes >= RunOptions::MIN_MEMORY => Ok(bytes),
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
