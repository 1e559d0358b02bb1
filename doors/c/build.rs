//! Gives the shared library its name for the loader.

/// Counts up with `REDIST_ABI`. `install` and `Cargo.toml` (`version_suffix_components`, for
/// `cargo-c`) name files by it.
const SONAME: &str = "libredist.so.0";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if target == "linux" {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{SONAME}");
    }
}
