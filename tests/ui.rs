//! What is said of wrong input to `redistribute!`, word for word and place for place.
//!
//! `TRYBUILD=overwrite cargo test --test ui` writes the `.stderr` files anew; read them before committing.

use std::io::{self, Write};
use std::process::Command;

/// The compiler whose own words `ui-rustc/` quotes.
const PINNED: &str = "rustc 1.95.";

/// Messages of the macro.
#[test]
fn ui() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

/// Messages of the compiler's: errors in constants and of types, which it words differently from version to version.
#[test]
fn ui_of_the_compiler() {
    let version = Command::new("rustc")
        .arg("--version")
        .output()
        .map(|output| output.stdout)
        .unwrap_or_default();
    let version = String::from_utf8_lossy(&version);
    if !version.starts_with(PINNED) {
        // Not `println!`, which a test that passes keeps to itself.
        let _ = writeln!(
            io::stderr(),
            "skipped: tests/ui-rustc quotes {PINNED}x, and this is {version}"
        );
        return;
    }
    let cases = trybuild::TestCases::new();
    // One that is accepted makes trybuild build and not only check, which is when generics get their values.
    cases.pass("tests/ui-rustc/pass/*.rs");
    cases.compile_fail("tests/ui-rustc/*.rs");
}
