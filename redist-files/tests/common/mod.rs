//! Calls that the tests of all formats share.
#![allow(dead_code, reason = "no program of tests calls all of them")]

use redist_files::{ArrayOutcome, FilesError, Manifest, Run, RunOptions, Unwatched};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Options that wait for no disk.
pub fn quick(memory: usize) -> RunOptions {
    RunOptions { memory, sync: false, threads: Some(2), ..RunOptions::default() }
}

/// Moves one array, whose keys of a manifest are `array`; names of files begin in the folder.
pub fn convert(
    folder: &Path,
    array: &Value,
    options: RunOptions,
) -> Result<ArrayOutcome, FilesError> {
    let path = folder.join("manifest.json");
    fs::write(&path, json!({ "array": [array] }).to_string()).expect("written");
    let mut run = Run::new(options, &Unwatched);
    Manifest::read(&path)?.add_to(&mut run)?;
    Ok(run.convert()?.remove(0))
}

/// Compares both sides of one array.
pub fn compare(folder: &Path, array: &Value) -> Result<(), FilesError> {
    let path = folder.join("manifest.json");
    fs::write(&path, json!({ "array": [array] }).to_string()).expect("written");
    let mut run = Run::new(quick(1 << 20), &Unwatched);
    Manifest::read(&path)?.add_to(&mut run)?;
    run.compare().map(drop)
}

#[track_caller]
pub fn refused(folder: &Path, array: &Value) -> String {
    convert(folder, array, quick(8 << 20)).expect_err("an error").to_string()
}

/// Bytes without a pattern, of which a compressor gains something.
pub fn bytes(len: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(len as u64);
    (0..len).map(|at| if at % 3 == 0 { random.u8(..) } else { (at / 97) as u8 }).collect()
}

/// Names in a folder and in all below it, without their folders.
pub fn tree(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let name = entry.file_name().into_string().expect("a name");
        match entry.file_type().expect("a sort").is_dir() {
            true => names.extend(tree(&entry.path()).iter().map(|inner| format!("{name}/{inner}"))),
            false => names.push(name),
        }
    }
    names.sort();
    names
}

/// Returns keys of a manifest with more of them, which count.
pub fn with(mut array: Value, more: &Value) -> Value {
    let keys = array.as_object_mut().expect("keys");
    keys.extend(more.as_object().expect("keys").clone());
    array
}

/// Plays a script of a library of the format, where a variable names a Python that has it.
pub fn python(variable: &str, (script, task): (&str, &str), folder: &Path) -> Option<()> {
    let python = std::env::var_os(variable)?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(script);
    let run = Command::new(python).arg(script).arg(task).arg(folder).output().expect("Python");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    Some(())
}

/// Checks that a run has left the folder as it was.
#[track_caller]
pub fn refused_and_clean(folder: &Path, keys: &Value) -> String {
    let files = || tree(folder).into_iter().filter(|name| name != "manifest.json");
    let before: Vec<String> = files().collect();
    let told = refused(folder, keys);
    assert_eq!(files().collect::<Vec<_>>(), before, "{told}");
    told
}
