//! The compiler's errors for wrong input, word for word and place for place.
//!
//! `tests/macro/diagnostics.rs` compares the macro's own errors, in `macro/`, without the compiler.
//! Some of them are compiled here, which shows that places and the stand-ins of items with errors
//! reach the compiler. Errors of the compiler are in `rustc/`.
//!
//! `REDIST_TEST_ALL=1 TRYBUILD=overwrite cargo test --package redist-ui` rewrites the `.stderr`
//! files; read them before committing.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

/// The compiler whose errors are in `rustc/`.
const PINNED: &str = "rustc 1.95.";

/// Cases of `macro/` that are always compiled. Their emitted code is used, or is for editors, or
/// they are the derive's.
const COMPILED: [&str; 8] = [
    "40_stub",
    "42_syntax",
    "45_parameters_and_generics",
    "46_broken_with_parameters",
    "47_unfinished",
    "49_words_as_names",
    "50_element",
    "56_copies",
];

/// Of all further files, one in this many is compiled, from the seed's file on.
const SHARE: usize = 12;

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    drawn().into_iter().for_each(|path| cases.compile_fail(path));
    let version = version();
    if !version.starts_with(PINNED) {
        // Not `println!`, because a passing test does not show it.
        let _ = writeln!(io::stderr(), "skipped: rustc/ quotes {PINNED}x, and this is {version}");
        return;
    }
    // An accepted case makes trybuild build and not only check, because generics get their values
    // then. The common parts of the cases are built once for the macro and for them.
    cases.pass("rustc/pass/*.rs");
    cases.compile_fail("rustc/*.rs");
}

fn version() -> String {
    let output = Command::new("rustc").arg("--version").output();
    output.map_or_else(
        |_| String::new(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}

/// Returns the files of `COMPILED` and some of the rest; all with `REDIST_TEST_ALL=1`.
fn drawn() -> Vec<PathBuf> {
    let all = env::var("REDIST_TEST_ALL").is_ok_and(|text| text == "1");
    let seed: u64 = env::var("REDIST_TEST_SEED")
        .map_or(1, |text| text.parse().expect("REDIST_TEST_SEED is a number"));
    let entries = fs::read_dir("macro").expect("the folder of the cases");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    paths.sort();
    let is_compiled = |path: &PathBuf| {
        path.file_stem().is_some_and(|stem| COMPILED.iter().any(|&one| stem == one))
    };
    let (mut drawn, others): (Vec<_>, Vec<_>) = paths.into_iter().partition(is_compiled);
    assert_eq!(drawn.len(), COMPILED.len(), "a case that is always compiled is gone");
    let (first, step) = if all { (0, 1) } else { ((seed % SHARE as u64) as usize, SHARE) };
    drawn.extend(others.into_iter().skip(first).step_by(step));
    eprintln!("cases are drawn from REDIST_TEST_SEED={seed}");
    drawn
}
