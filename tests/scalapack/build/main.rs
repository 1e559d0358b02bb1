//! Finds ScaLAPACK, and writes the testers' cases as items of `redistribute!`.

mod items;
mod link;

fn main() {
    for change in ["build", "data"] {
        println!("cargo::rerun-if-changed={change}");
    }
    for draws in ["REDIST_TEST_SEED", "REDIST_TEST_ALL"] {
        println!("cargo::rerun-if-env-changed={draws}");
    }
    if std::env::var_os("CARGO_FEATURE_SCALAPACK").is_some() {
        link::link();
        items::write();
    }
}
