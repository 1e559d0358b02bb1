//! Files of other libraries' test suites: `data/README.md` names their sources. The elements are compared with
//! `expected.json`, which `expected.py` writes by the libraries whose files they are.

#[path = "../common/mod.rs"]
mod common;

use common::{convert, quick, with};
use flate2::Crc;
use redist_files::RunOptions;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The first bytes of files of HDF5, which NetCDF 4 has, too.
const HDF5: &[u8] = b"\x89HDF";

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suites/data")
}

/// Moves arrays of the files that `is_asked` for to raw files, and to records, and compares the elements.
fn play(is_asked: impl Fn(&Path) -> bool, least: usize) {
    let made = tempfile::tempdir().expect("a folder");
    let text = fs::read(data().join("expected.json")).expect("what the libraries read");
    let all: Vec<Value> = serde_json::from_slice(&text).expect("JSON");
    let asked =
        all.iter().filter(|row| is_asked(&data().join(row["in"].as_str().expect("a name"))));
    let mut played = 0;
    for (number, row) in asked.enumerate() {
        let out = format!("{number}.raw");
        let to = json!({ "out": out, "out_format": "raw", "out_byte_order": "little" });
        let checked = RunOptions { check: true, ..quick(1 << 20) };
        convert(made.path(), &with(source(row), &to), checked)
            .unwrap_or_else(|error| panic!("{row}: {error}"));
        let mut crc = Crc::new();
        crc.update(&fs::read(made.path().join(&out)).expect("a file"));
        assert_eq!(json!(crc.sum()), row["crc"], "{row}");
        played += 1;
    }
    assert_eq!(played, least, "arrays of these files");
}

/// Returns the keys of an array's source. Records do not tell what they hold.
fn source(row: &Value) -> Value {
    let path = data().join(row["in"].as_str().expect("a name"));
    let keys = json!({ "name": row["name"], "in": path });
    if path.extension().is_none_or(|end| end != "dat") {
        return keys;
    }
    let stars = vec!["*"; row["extents"].as_array().expect("extents").len()].join(", ");
    let more = json!({
        "in_format": "records", "element": row["element"], "extents": row["extents"],
        "in_byte_order": "little", "from": format!("({stars}) storage fortran"),
    });
    with(keys, &more)
}

fn begins(path: &Path, first: &[u8]) -> bool {
    path.is_file() && fs::read(path).expect("a file").starts_with(first)
}

fn ends(path: &Path, end: &str) -> bool {
    path.extension().is_some_and(|own| own == end)
}

#[test]
fn files_of_numpy_safetensors_and_records_of_scipy() {
    play(|path| ["npy", "safetensors", "dat"].iter().any(|end| ends(path, end)), 13);
}

#[test]
fn classic_files_of_netcdf() {
    play(|path| begins(path, b"CDF"), 8);
}

#[cfg(feature = "hdf5")]
#[test]
fn files_of_hdf5_and_netcdf_4() {
    play(|path| begins(path, HDF5), 5);
}

#[cfg(not(feature = "hdf5"))]
#[test]
fn files_of_hdf5_need_the_feature() {
    let made = tempfile::tempdir().expect("a folder");
    let path = data().join("netcdf-c/tdset.h5");
    assert!(begins(&path, HDF5));
    let keys = json!({ "name": "dset1", "in": path, "out": "a.npy" });
    let told = common::refused(made.path(), &keys);
    assert!(told.contains("hdf5"), "{told}");
}

/// An array whose codec is refused.
#[cfg(feature = "zarr")]
const BY_BZ2: &str = "zarr-python/3-2.zarr";

#[cfg(feature = "zarr")]
#[test]
fn arrays_of_zarr() {
    play(|path| ends(path, "zarr") && !path.ends_with(BY_BZ2), 3);
}

#[cfg(feature = "zarr")]
#[test]
fn an_unknown_codec_is_named() {
    let made = tempfile::tempdir().expect("a folder");
    let keys = json!({ "name": "a", "in": data().join(BY_BZ2), "out": "a.npy" });
    let told = common::refused(made.path(), &keys);
    assert!(told.contains("codec bz2 is not supported"), "{told}");
}
