//! Makes test binaries export functions that replace the library's, which looks them up by name.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-link-arg-tests=-Wl,--export-dynamic-symbol=MPI_*");
    }
}
