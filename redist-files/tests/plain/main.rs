//! Files of `numpy`, `safetensors`, `scipy` and programs of Fortran, and ours as these read them: where
//! `REDIST_NUMPY_PYTHON` names a Python that has the libraries. Files of torch, where `REDIST_TORCH_PYTHON` names
//! one that has it.

#[path = "../common/mod.rs"]
mod common;

use common::{convert, python, quick, with};
use redist_files::RunOptions;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Formats that arrays of one format become.
const ENDS: [&str; 4] = ["npy", "npz", "safetensors", "rec"];

/// Has a script write files, makes files of all formats of each array, and has the script check them.
fn play(variable: &str, script: &str, least: usize) {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let played = |task| python(variable, (script, task), folder);
    if played("write").is_none() {
        return;
    }
    let text = fs::read(folder.join("cases.json")).expect("cases");
    let mut cases: Vec<Value> = serde_json::from_slice(&text).expect("JSON");
    assert!(cases.len() >= least, "{}", cases.len());
    for (number, case) in cases.iter_mut().enumerate() {
        case["out"] = json!(converted(folder, case, number));
    }
    fs::write(folder.join("cases.json"), json!(cases).to_string()).expect("written");
    played("read").expect("the libraries");
}

/// Converts the array of a case to each format, and returns the names of the files.
fn converted(folder: &Path, case: &Value, number: usize) -> Vec<String> {
    let array = with(json!({ "name": case["name"], "in": case["in"] }), &case["more"]);
    let stars = vec!["*"; case["shape"].as_array().expect("extents").len()].join(", ");
    let mut made = Vec::new();
    for end in ENDS.iter().filter(|end| case["not"] != **end) {
        let out = format!("out-{number}.{end}");
        let mut to = json!({ "out": out });
        if *end == "rec" {
            let fortran = format!("({stars}) storage fortran");
            to = with(to, &json!({ "out_format": "records", "to": fortran }));
        }
        let checked = RunOptions { check: true, ..quick(1 << 20) };
        convert(folder, &with(array.clone(), &to), checked)
            .unwrap_or_else(|error| panic!("{case} {end}: {error}"));
        made.push(out);
    }
    made
}

#[test]
fn the_libraries_read_what_is_written_and_their_files_are_read() {
    play("REDIST_NUMPY_PYTHON", "plain/peers.py", 140);
}

#[test]
fn torch_reads_what_is_written_and_its_files_are_read() {
    play("REDIST_TORCH_PYTHON", "plain/torch_peers.py", 4);
}
