//! Gives the shared library its name for the loader.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if target == "linux" {
        let [major, minor] =
            ["MAJOR", "MINOR"].map(|part| std::env::var(format!("CARGO_PKG_VERSION_{part}")));
        let (major, minor) = (major.unwrap_or_default(), minor.unwrap_or_default());
        // Before release 1.0 a minor release may change the interface: as `cargo-c` has it.
        let version = if major == "0" { format!("0.{minor}") } else { major };
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libredist.so.{version}");
    }
}
