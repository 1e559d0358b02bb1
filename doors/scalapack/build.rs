//! Gives the shared library its name for the loader.

/// Counts up when programs must be linked again. `doors/c/install` names files by it.
const SONAME: &str = "libredist_scalapack.so.0";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if target == "linux" {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{SONAME}");
    }
}
