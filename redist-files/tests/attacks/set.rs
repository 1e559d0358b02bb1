//! Sets of two arrays in each format, and runs over them that are looked at from outside.

use crate::common::{bytes, tree, with};
use redist_files::{FilesError, Manifest, Run, RunOptions, Unwatched};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Once;
use tempfile::TempDir;

/// Files of one format.
pub struct Kind {
    pub name: &'static str,
    /// Name of the files, below `in`.
    pub files: &'static str,
    /// Keys of a manifest that write them.
    pub written: Value,
    /// Keys of a manifest that read them.
    pub read: Value,
}

/// Arrays of a set, and their extents.
pub const ARRAYS: [(&str, [usize; 2]); 2] = [("w", [6, 8]), ("v", [4, 8])];

/// Most bytes of addresses that a program takes beyond those that it begins with.
const MORE_BYTES: u64 = 1 << 30;

/// Files that are longer are not compared byte by byte.
const COMPARED_BYTES: u64 = 1 << 20;

/// All formats that this program was built with.
pub fn kinds() -> Vec<Kind> {
    let ranks = |name, files| Kind {
        name,
        files,
        written: json!({ "out_format": name, "to": "(block, *) onto 2" }),
        read: json!({ "in_format": name, "from": "(block, *) onto 2" }),
    };
    #[allow(unused_mut, reason = "features add more")]
    let mut kinds = vec![
        ranks("raw", "{name}.{rank}.bin"),
        ranks("records", "{name}.{rank}.rec"),
        ranks("npy", "{name}.{rank}.npy"),
        ranks("npz", "f.{rank}.npz"),
        ranks("safetensors", "f.{rank}.safetensors"),
        ranks("netcdf", "f.{rank}.nc"),
    ];
    #[cfg(feature = "hdf5")]
    kinds.extend([ranks("hdf5", "f.{rank}.h5"), ranks("netcdf4", "f.{rank}.nc4")]);
    #[cfg(feature = "zarr")]
    for (name, more) in [
        ("zarr", json!({ "codec": "none" })),
        ("zarr", json!({ "codec": "zstd" })),
        ("zarr", json!({ "codec": "blosc", "shards": [6, 8] })),
        ("zarr2", json!({ "codec": "gzip" })),
    ] {
        let written = with(json!({ "out_format": name, "chunks": [3, 4] }), &more);
        kinds.push(Kind {
            name,
            files: "{name}.zarr",
            written,
            read: json!({ "in_format": name }),
        });
    }
    kinds
}

/// A set in a folder: sources in `in`, and `out`, which is empty.
pub struct Set {
    made: TempDir,
    pub read: Value,
}

/// Refuses all memory that no small array needs.
fn bounded() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let text = fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let pages: Option<u64> = text.split(' ').next().and_then(|pages| pages.parse().ok());
        let most = pages.map(|pages| pages * 4096 + MORE_BYTES);
        let limit = Rlimit { current: most, ..getrlimit(Resource::As) };
        setrlimit(Resource::As, limit).expect("a limit");
    });
}

fn arrays() -> Vec<Value> {
    ARRAYS.iter().map(|(name, extents)| json!({ "name": name, "extents": extents })).collect()
}

pub fn manifest(defaults: &Value) -> Value {
    json!({ "defaults": with(json!({ "element": "f64" }), defaults), "array": arrays() })
}

pub fn convert(folder: &Path, manifest: &Value) -> Result<(), FilesError> {
    let path = folder.join("manifest.json");
    fs::write(&path, manifest.to_string()).expect("written");
    let options =
        RunOptions { memory: 8 << 20, sync: false, threads: Some(2), ..RunOptions::default() };
    let mut run = Run::new(options, &Unwatched);
    Manifest::read(&path)?.add_to(&mut run)?;
    run.convert().map(drop)
}

impl Set {
    pub fn new(kind: &Kind) -> Self {
        bounded();
        let made = tempfile::tempdir().expect("a folder");
        let folder = made.path();
        for name in ["raw", "in", "out"] {
            fs::create_dir(folder.join(name)).expect("a folder");
        }
        for (name, [rows, columns]) in ARRAYS {
            fs::write(folder.join("raw").join(name), bytes(rows * columns * 8)).expect("written");
        }
        let files = format!("in/{}", kind.files);
        let written = with(kind.written.clone(), &json!({ "in": "raw/{name}", "out": files }));
        convert(folder, &manifest(&written)).expect("a set");
        let read = with(kind.read.clone(), &json!({ "in": files, "out": "out/{name}" }));
        Self { made, read: manifest(&read) }
    }

    pub fn folder(&self) -> &Path {
        self.made.path()
    }

    /// Lists the files of the sources.
    pub fn files(&self) -> Vec<PathBuf> {
        let folder = self.folder().join("in");
        tree(&folder).iter().map(|name| folder.join(name)).collect()
    }

    /// Describes each source: the bytes of a short file, the length of a long one, or the target of a
    /// link.
    fn sources(&self) -> BTreeMap<PathBuf, String> {
        let words = |path: &Path| {
            let found = path.symlink_metadata().expect("a file");
            match fs::read_link(path) {
                Ok(to) => format!("to {}", to.display()),
                Err(_) if found.is_file() && found.len() <= COMPARED_BYTES => {
                    format!("{:?}", fs::read(path).expect("a file"))
                }
                Err(_) => format!("{} bytes", found.len()),
            }
        };
        self.files().into_iter().map(|path| (path.clone(), words(&path))).collect()
    }

    /// Reads the set, and looks at what the run has left. Returns whether all elements are right.
    pub fn run(&self) -> Result<bool, FilesError> {
        self.run_of(&self.read)
    }

    pub fn run_of(&self, manifest: &Value) -> Result<bool, FilesError> {
        let (before, out) = (self.sources(), self.folder().join("out"));
        let done = convert(self.folder(), manifest);
        assert!(self.sources() == before, "a source has changed");
        let published = tree(&out);
        if let Err(error) = &done {
            assert_eq!(published, [""; 0], "{error}");
            assert!(!error.to_string().contains("panicked"), "{error}");
        }
        let right = published.iter().all(|name| {
            let [raw, found] = ["raw", "out"].map(|of| self.folder().join(of).join(name));
            fs::read(raw).expect("raw") == fs::read(found).expect("raw")
        });
        published.iter().for_each(|name| fs::remove_file(out.join(name)).expect("removed"));
        done.map(|()| right)
    }

    /// Checks that a run fails, and names the file and an array. Returns the words.
    #[track_caller]
    pub fn refused(&self, file: &Path) -> String {
        let told = match self.run() {
            Err(FilesError::Failed(told)) => told,
            other => panic!("{}: {other:?}", file.display()),
        };
        // Metadata of Zarr may have one of two names, so that the folder is named.
        let is_metadata = file.to_string_lossy().contains(".zarr/") && !is_chunk(file);
        let named = file.parent().filter(|_| is_metadata).unwrap_or(file);
        assert!(told.contains(&named.display().to_string()), "{}: {told}", file.display());
        assert!(told.contains("array `"), "{told}");
        told
    }
}

/// Returns `true` if a file is a chunk of an array of Zarr, which need not be there.
pub fn is_chunk(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.to_string_lossy().contains(".zarr/") && !name.starts_with("zarr.") && name != ".zarray"
}
