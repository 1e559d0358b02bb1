//! Has test binaries export those functions of theirs that stand in for the library's, which looks
//! them up by their names: nothing that they are linked with asks for them.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-link-arg-tests=-Wl,--export-dynamic-symbol=MPI_*");
    }
}
