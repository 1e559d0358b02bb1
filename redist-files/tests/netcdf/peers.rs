//! Files of the library `netCDF4`, and ours as it reads them: where `REDIST_HDF5_PYTHON` names a Python
//! that has it.

use super::{convert, python, quick, with};
use redist_files::RunOptions;
use serde_json::{Value, json};
use std::fs;

#[test]
fn the_library_reads_what_is_written_and_its_files_are_read() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let played = |task| python("REDIST_HDF5_PYTHON", ("netcdf/peers.py", task), folder);
    if played("write").is_none() {
        return;
    }
    let text = fs::read(folder.join("cases.json")).expect("cases");
    let mut cases: Vec<Value> = serde_json::from_slice(&text).expect("JSON");
    assert!(cases.len() > 15, "{}", cases.len());
    let checked = RunOptions { check: true, ..quick(1 << 20) };
    for (number, case) in cases.iter_mut().enumerate() {
        let array = json!({ "name": case["name"], "in": case["in"] });
        let npy = json!({ "out": format!("{number}.npy") });
        convert(folder, &with(array.clone(), &npy), checked.clone())
            .unwrap_or_else(|error| panic!("{case}: {error}"));
        let nc = json!({ "out": format!("out-{number}.nc") });
        convert(folder, &with(array, &nc), checked.clone())
            .unwrap_or_else(|error| panic!("{case}: {error}"));
    }
    python("REDIST_HDF5_PYTHON", ("netcdf/peers.py", "read"), folder).expect("the library");
}
