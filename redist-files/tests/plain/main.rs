//! Files of `numpy` and `safetensors`, and ours as these libraries read them: where
//! `REDIST_NUMPY_PYTHON` names a Python that has them.

#[path = "../common/mod.rs"]
mod common;

use common::{convert, python, quick, with};
use redist_files::RunOptions;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Formats that arrays of one format become.
const ENDS: [&str; 3] = ["npy", "npz", "safetensors"];

fn played(task: &str, folder: &Path) -> Option<()> {
    python("REDIST_NUMPY_PYTHON", ("plain/peers.py", task), folder)
}

#[test]
fn the_libraries_read_what_is_written_and_their_files_are_read() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    if played("write", folder).is_none() {
        return;
    }
    let text = fs::read(folder.join("cases.json")).expect("cases");
    let mut cases: Vec<Value> = serde_json::from_slice(&text).expect("JSON");
    assert!(cases.len() > 40, "{}", cases.len());
    for (number, case) in cases.iter_mut().enumerate() {
        let array = json!({ "name": case["name"], "in": case["in"] });
        let mut made = Vec::new();
        for end in ENDS.iter().filter(|end| case["not"] != **end) {
            let out = format!("out-{number}.{end}");
            let to = json!({ "out": out });
            let checked = RunOptions { check: true, ..quick(1 << 20) };
            convert(folder, &with(array.clone(), &to), checked)
                .unwrap_or_else(|error| panic!("{case} {end}: {error}"));
            made.push(out);
        }
        case["out"] = json!(made);
    }
    fs::write(folder.join("cases.json"), json!(cases).to_string()).expect("written");
    played("read", folder).expect("the libraries");
}
