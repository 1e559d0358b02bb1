//! Finds ScaLAPACK with the compiler driver that Rust links with, or names the package to install.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns Debian's name for the MPI library of `MPICC`, then ScaLAPACK's own.
fn names() -> [&'static str; 2] {
    let mpich = std::env::var("MPICC").is_ok_and(|compiler| compiler.contains("mpich"));
    [if mpich { "scalapack-mpich" } else { "scalapack-openmpi" }, "scalapack"]
}

pub fn link() {
    println!("cargo::rerun-if-env-changed=SCALAPACK_DIR");
    println!("cargo::rerun-if-env-changed=MPICC");
    match names().iter().find_map(|name| Some((name, find(name)?))) {
        Some((name, library)) => {
            let folder = library.parent().unwrap_or(Path::new(".")).display().to_string();
            println!("cargo::rustc-link-search=native={folder}");
            println!("cargo::rustc-link-lib=dylib={name}");
        }
        None => println!(
            "cargo::error=ScaLAPACK is missing: on Debian and Ubuntu, `apt-get install libscalapack-openmpi-dev` \
             (libscalapack-mpich-dev for MPICH); \
             elsewhere, set SCALAPACK_DIR to the folder of libscalapack.so"
        ),
    }
}

fn find(name: &str) -> Option<PathBuf> {
    let file = format!("lib{name}.so");
    if let Some(folder) = std::env::var_os("SCALAPACK_DIR") {
        return Some(Path::new(&folder).join(file)).filter(|library| library.is_file());
    }
    // The driver prints the path of a library that it finds, and the bare name otherwise.
    let output = Command::new("cc").arg(format!("-print-file-name={file}")).output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    path.canonicalize().ok().and(Some(path))
}
