//! Random layouts, planned by every tier; the build script writes the cases.

#![allow(
    dead_code,
    unused_imports,
    unused_qualifications,
    clippy::all,
    reason = "what was generated is not read for its style"
)]

include!(concat!(env!("OUT_DIR"), "/cases.rs"));

#[test]
fn every_kind_of_item_is_there() {
    use std::io::Write;

    writeln!(std::io::stderr(), "{CASES} cases from seed {SEED}: {ITEMS:?}")
        .expect("standard error can be written to");
    assert!(CASES < 40 || ITEMS.iter().all(|(_, count)| *count >= 10), "{ITEMS:?}");
}
