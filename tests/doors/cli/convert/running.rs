//! Threads, memory, interruptions and progress of `redist convert`.

use super::{folder, names};
use crate::cli::process::redist;
use serde_json::Value;
use std::fs::{self, File};

const COLUMNS: &str =
    "[f64; 2048, 4096] { from: (block, *) onto 4, to: (*, cyclic(5)) onto 6 storage fortran }";

/// Code, stacks and tables of an idle program.
pub const CONSTANT: u64 = 24 << 20;

#[test]
fn memory_is_bounded() {
    let folder = folder("memory");
    for rank in 0..4 {
        let file = File::create(folder.join(format!("in.{rank}"))).unwrap();
        file.set_len(16 << 20).unwrap();
    }
    let [from, to] = ["in.{rank}", "out.{rank}.npy"].map(|name| folder.join(name));
    let options = ["--memory", "8MiB", "--json", "--progress", "--no-sync", "--check"];
    let files = ["--in", from.to_str().unwrap(), "--out", to.to_str().unwrap()];
    let run = redist(&[&["convert", COLUMNS], &files[..], &options].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&report["bytes"], &report["element_bytes"]), (&(64 << 20).into(), &8.into()));
    assert_eq!((&report["files"][1], &report["checked"]), (&6.into(), &true.into()));
    if let Some(peak) = report["peak_resident_bytes"].as_u64() {
        assert!(peak <= (8 << 20) + CONSTANT, "{peak} bytes");
    }
    for line in ["converting: 50 %\n", "converting: 100 %\n", "checking: 100 %\n"] {
        assert!(run.stderr.contains(line), "{}", run.stderr);
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_an_earlier_run_has_left_is_removed() {
    let folder = folder("left");
    fs::write(folder.join("in"), [7; 40]).unwrap();
    fs::create_dir(folder.join(".redist-part-0")).unwrap();
    fs::create_dir(folder.join(".redist-part-1")).unwrap();
    fs::write(folder.join(".redist-part-1/.redist-lock"), "").unwrap();
    fs::write(folder.join(".redist-part-1/out"), [1; 100]).unwrap();
    let [from, to] = ["in", "out"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    let text = "struct Bytes: [u8; 40] { from: *, to: * }";
    let run = redist(&["convert", text, "--in", &from, "--out", &to]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.starts_with("Bytes: converted 40 bytes from 1 file to 1 file, checksum "));
    assert_eq!(
        (names(&folder), fs::read(&to).unwrap()),
        (vec!["in".into(), "out".into()], vec![7; 40])
    );
}

#[test]
fn the_checksum_is_that_of_the_array() {
    let folder = folder("checksum");
    fs::write(folder.join("in"), (0..240).collect::<Vec<u8>>()).unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let checksum = |from: &str, to: &str, layouts: &str| {
        let text = format!("[f32; 6, 10] {{ {layouts} }}");
        let run = redist(&["convert", &text, "--in", &path(from), "--out", &path(to), "--json"]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
        serde_json::from_str::<Value>(&run.stdout).unwrap()["checksum"].clone()
    };
    let first = checksum("in", "a.{rank}", "from: (*, *), to: (cyclic(2), cyclic(3)) onto (2, 2)");
    let second = checksum(
        "a.{rank}",
        "b.{rank}",
        "from: (cyclic(2), cyclic(3)) onto (2, 2), to: (*, block) onto 3",
    );
    assert_eq!(first, second);
    assert_eq!(first.as_str().map(str::len), Some(32));
}
