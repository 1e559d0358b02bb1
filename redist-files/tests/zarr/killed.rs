//! Runs that are killed while they write arrays of Zarr, and are continued.

use super::{bytes, quick, tree};
use redist_files::{ArrayOutcome, FilesError, Manifest, Run, Unwatched};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Names the folder of a child's run.
const CHILD: &str = "REDIST_ZARR_CHILD";

/// Runs that are killed.
const KILLS: usize = 30;

/// Arrays of the set.
const ARRAYS: usize = 6;

fn run(folder: &Path) -> Result<Vec<ArrayOutcome>, FilesError> {
    let mut run = Run::new(quick(2 << 20), &Unwatched);
    Manifest::read(&folder.join("manifest.json"))?.add_to(&mut run)?;
    run.convert()
}

/// Writes the set when [`killed_runs_are_continued`] starts this program again; is no test else.
#[test]
fn child() {
    if let Some(folder) = std::env::var_os(CHILD) {
        run(Path::new(&folder)).expect("converted");
    }
}

fn start(folder: &Path) -> std::process::Child {
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.args(["--exact", "killed::child"]).env(CHILD, folder);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a child")
}

#[test]
fn killed_runs_are_continued() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let out = folder.join("out");
    fs::create_dir(&out).expect("a folder");
    fs::write(folder.join("raw"), bytes(300 * 400 * 8)).expect("written");
    // Chunks of one array are written at once, those of the next wait in the scratch file.
    let array = |number: usize| json!({ "name": format!("a{number}"), "chunks": if number.is_multiple_of(2) { [50, 40] } else { [300, 7] } });
    let manifest = json!({
        "defaults": {
            "in": "raw", "out": "out/{name}.zarr", "element": "f64", "extents": [300, 400],
            "from": "(block, *) onto 1",
        },
        "array": (0..ARRAYS).map(array).collect::<Vec<_>>(),
    });
    fs::write(folder.join("manifest.json"), manifest.to_string()).expect("written");
    let began = Instant::now();
    assert!(start(folder).wait().expect("ended").success());
    let whole = began.elapsed();
    let names = tree(&out);
    let files = |names: &[String]| -> Vec<Vec<u8>> {
        names.iter().map(|name| fs::read(out.join(name)).expect("a file")).collect()
    };
    let right = files(&names);
    let clear = || {
        fs::remove_dir_all(&out).expect("removed");
        fs::create_dir(&out).expect("a folder");
    };
    clear();
    let (mut random, mut kept, mut killed) = (fastrand::Rng::new(), 0, 0);
    while killed < KILLS {
        let mut child = start(folder);
        sleep(whole.mul_f64(random.f64()));
        child.kill().expect("killed");
        if child.wait().expect("ended").success() {
            clear();
            continue;
        }
        // A run that had nothing left to do but to end leaves no unfinished file.
        if tree(&out) == names {
            assert!(files(&names) == right);
            clear();
            continue;
        }
        killed += 1;
        // An array has its name only when it is whole.
        for name in tree(&out).iter().filter(|name| !name.starts_with(".redist-")) {
            let number = names.iter().position(|own| own == name).expect("a file of the set");
            assert!(fs::read(out.join(name)).expect("a file") == right[number], "{name}");
        }
        if random.bool() {
            let outcomes = run(folder).expect("continued");
            kept += outcomes.iter().filter(|outcome| outcome.kept).count();
            assert_eq!(tree(&out), names);
            assert!(files(&names) == right);
            clear();
        }
    }
    assert!(kept > 0, "no run had to do less");
}

/// Arrays of a set of which a killed run has given some their names.
const MANY: usize = 200;

#[test]
fn a_run_that_was_killed_among_its_renames_is_continued() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let out = folder.join("out");
    fs::write(folder.join("raw"), bytes(6 * 8)).expect("written");
    let manifest = json!({
        "defaults": { "in": "raw", "out": "out/{name}.zarr", "element": "f64", "extents": [6] },
        "array": (0..MANY).map(|number| json!({ "name": format!("a{number}") })).collect::<Vec<_>>(),
    });
    fs::write(folder.join("manifest.json"), manifest.to_string()).expect("written");
    let named = || (0..MANY).filter(|number| out.join(format!("a{number}.zarr")).exists()).count();
    for _ in 0..100 {
        let _ = fs::remove_dir_all(&out);
        fs::create_dir(&out).expect("a folder");
        let mut child = start(folder);
        while !out.join("a0.zarr").exists() {
            assert!(child.try_wait().expect("a child").is_none_or(|ended| ended.success()));
            sleep(Duration::from_micros(20));
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        if named() == MANY {
            continue;
        }
        let outcomes = run(folder).expect("continued");
        assert!(outcomes.iter().all(|outcome| outcome.kept));
        assert_eq!(named(), MANY);
        assert!(tree(&out).iter().all(|name| !name.contains(".redist")));
        return;
    }
    panic!("no run was killed among its renames");
}
