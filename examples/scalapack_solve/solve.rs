//! Interim.
fn main() {}
