//! Missing or false libraries: one sentence each. Each case is this binary again, as an example
//! that finds its library once.

use std::env;
use std::process::Command;

fn told(library: &str) -> String {
    let output = Command::new(env::current_exe().expect("this binary"))
        .args(["--exact", "says", "--nocapture", "--ignored"])
        .env(redist_mpi::VARIABLE, library)
        .output()
        .expect("it runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The other tests start it.
#[test]
#[ignore = "it is what the tests below start"]
fn says() {
    match redist_mpi::Library::get() {
        Ok(library) => println!("found {}", library.name()),
        // As a `main` prints it.
        Err(error) => println!("{error:?}"),
    }
}

#[test]
fn a_file_that_is_not_there() {
    let told = told("/nowhere/libmpi.so.40");
    let starts = "the MPI library `/nowhere/libmpi.so.40`, which `REDIST_MPI_LIBRARY` names, cannot be loaded: ";
    assert!(told.contains(starts), "{told}");
    assert!(told.contains("No such file"), "{told}");
}

#[test]
fn a_library_that_is_none_of_mpi() {
    let told = told("libc.so.6");
    assert!(told.contains("the MPI library libc.so.6 has no `MPI_Get_library_version`"), "{told}");
}

/// Builds a library with one function, which says that it is another MPI.
fn made(text: &str) -> Option<std::path::PathBuf> {
    let folder = env::temp_dir().join(format!("redist-mpi-made-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, library) = (folder.join("made.c"), folder.join("libmade.so"));
    let function = format!(
        "#include <string.h>\nint MPI_Get_library_version(char *text, int *len) {{\n\
         strcpy(text, \"{text}\"); *len = (int)strlen(text); return 0; }}\n"
    );
    std::fs::write(&source, function).expect("the source");
    let mut compiler = Command::new("cc");
    let compiled = compiler.args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    compiled.ok()?.success().then_some(library)
}

#[test]
fn a_library_of_no_known_interface() {
    let Some(library) = made("Solver's MPI 2.0\\nfor one rank") else {
        eprintln!("not played: no C compiler is installed");
        return;
    };
    let told = told(library.to_str().expect("a plain path"));
    assert!(
        told.contains("calls itself \"Solver's MPI 2.0\", which is none of MPICH 3.1"),
        "{told}"
    );
    std::fs::remove_dir_all(library.parent().expect("a folder")).expect("the folder is ours");
}

#[test]
fn a_library_that_is_named() {
    for name in ["libmpi.so.40", "libmpich.so.12"] {
        let told = told(name);
        let is_missing = told.contains("No such file");
        assert!(is_missing || told.contains(&format!("found {name}")), "{told}");
    }
}
