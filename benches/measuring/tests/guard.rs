//! The guard on programs that pretend: it finds planted slowdowns, and nothing else.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Lists two rows, and prints one: a second each, with noise of a hundredth, as planted.
const PROGRAM: &str = r#"#!/usr/bin/env bash
if [ "$1" = --list ]; then printf '2\ttransposed\n4\tcyclic(10) → (2)\n'; exit; fi
while [ $# -gt 0 ]; do
    case $1 in
        --worker) row=$2 ;;
        --ranks) ranks=$2 ;;
    esac
    shift
done
if [ "$ranks" = "${FAILING:-}" ]; then exit 3; fi
awk -v factor="${REDIST_PLANTED_FACTOR:-1}" -v seed="$RANDOM" -v row="$row" -v ranks="$ranks" '
    function method(name, factor) {
        seconds = factor * (0.99 + 0.02 * rand())
        return sprintf("{\"name\":\"%s\",\"outcome\":{\"Ok\":{\"median\":%f,\"least\":1}}}", name, seconds)
    }
    BEGIN {
        srand(seed)
        methods = method("memcpy × 2", 1) "," method("run", factor)
        printf "{\"row\":\"%s\",\"ranks\":%d,\"methods\":[%s]}\n", row, ranks, methods
    }'
"#;

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("redist-guard-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join("threads");
    fs::write(&program, PROGRAM).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn guard(folder: &Path, options: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut guard = Command::new(env!("CARGO_BIN_EXE_redist-guard"));
    guard.arg("--base").arg(folder).arg("--this").arg(folder).arg("--out").arg(folder);
    guard.args(["--groups", "threads", "--seed", "5"]).args(options);
    guard.envs(variables.iter().copied()).output().unwrap()
}

fn told(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_commit_is_not_slower_than_itself() {
    let folder = folder("itself");
    let (status, text) = told(&guard(&folder, &[], &[]));
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("figures: 2; 0 slower"), "{text}");
    // The line of the machine, and a line for each process as it ends.
    let lines = fs::read_to_string(folder.join("guard.jsonl")).unwrap().lines().count();
    assert_eq!(lines, 1 + 5 * 2 * 2);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_planted_slowdown_is_found_and_named() {
    let folder = folder("planted");
    let (status, text) = told(&guard(&folder, &["--plant", "1.2"], &[]));
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("figures: 2; 2 slower"), "{text}");
    for row in ["threads  2 transposed", "threads  4 cyclic(10) → (2)"] {
        let line = text.lines().find(|line| line.starts_with(row)).unwrap();
        assert!(line.ends_with("11 rounds)  SLOWER"), "{line}");
    }
    let kept = fs::read_to_string(folder.join("guard.txt")).unwrap();
    assert_eq!(kept.trim(), text.trim());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn rows_are_selected_and_failures_are_not_overlooked() {
    let folder = folder("failures");
    let (status, text) = told(&guard(&folder, &[], &[("FAILING", "4")]));
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("failed: threads, cyclic(10) → (2), 4 ranks, base: it ended"), "{text}");
    let (status, text) = told(&guard(&folder, &["--rows", "transp"], &[("FAILING", "4")]));
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("figures: 1; 0 slower"), "{text}");
    let (status, _) = told(&guard(&folder, &["--rounds", "many"], &[]));
    assert_eq!(status, Some(2));
    fs::remove_dir_all(folder).unwrap();
}
