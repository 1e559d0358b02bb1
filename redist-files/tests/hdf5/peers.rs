//! Files of the libraries `h5py` and `netCDF4`, and ours as they read them: where `REDIST_HDF5_PYTHON` names a
//! Python that has them.

use super::{convert, python, quick, with};
use redist_files::RunOptions;
use serde_json::{Value, json};
use std::fs;

#[test]
fn the_libraries_read_what_is_written_and_their_files_are_read() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let played = |task| python("REDIST_HDF5_PYTHON", ("hdf5/peers.py", task), folder);
    if played("write").is_none() {
        return;
    }
    let text = fs::read(folder.join("cases.json")).expect("cases");
    let mut cases: Vec<Value> = serde_json::from_slice(&text).expect("JSON");
    assert!(cases.len() > 30, "{}", cases.len());
    let checked = RunOptions { check: true, ..quick(1 << 20) };
    for (number, case) in cases.iter_mut().enumerate() {
        let array = json!({ "name": case["name"], "in": case["in"] });
        for end in ["npy", "h5", "nc4"] {
            if end == "nc4" && case["netcdf"] == false {
                continue;
            }
            let out = with(array.clone(), &json!({ "out": format!("{number}.{end}") }));
            convert(folder, &out, checked.clone())
                .unwrap_or_else(|error| panic!("{case} {end}: {error}"));
        }
    }
    played("read").expect("the libraries");
}
