//! Beside a C program with an MPI library of its own: its communicators work, with any library.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs, process};

/// Returns the example `beside`, built here, because Cargo builds no examples for a named test.
fn library() -> PathBuf {
    let itself = env::current_exe().expect("this binary");
    let target = itself.ancestors().nth(3).expect("the folder of all builds");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", "redist-mpi", "--example", "beside"])
        .arg("--target-dir")
        .arg(target)
        .status();
    assert!(built.expect("cargo").success(), "the example is built");
    let name = format!("{}beside{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    target.join("debug/examples").join(name)
}

fn compiled(mpi: &str, folder: &Path, options: &[&str]) -> Option<PathBuf> {
    let (source, binary) = ("tests/beside/program.c", folder.join(mpi));
    let output = Command::new(format!("mpicc.{mpi}"))
        .args(["-Wall", "-Werror", "-o"])
        .args([&binary, Path::new(env!("CARGO_MANIFEST_DIR")).join(source).as_path()])
        .args(options)
        .output();
    let Ok(output) = output else {
        eprintln!("not played: mpicc.{mpi} is not installed");
        return None;
    };
    assert!(output.status.success(), "{}", text(&output));
    Some(binary)
}

fn text(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes)).concat()
}

fn folder(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("redist-mpi-{name}-{}", process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn launcher(mpi: &str, ranks: &str) -> Command {
    let mut launcher = Command::new(format!("mpiexec.{mpi}"));
    if mpi == "openmpi" {
        launcher.args(["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]);
    }
    launcher.args(["-n", ranks]);
    launcher
}

/// Programs of Open MPI have copies of its variables, whose addresses are its handles: without
/// `-fPIE` and with it.
#[test]
fn communicators_of_c_come_in() {
    let (folder, library) = (folder("beside"), library());
    for mpi in ["openmpi", "mpich"] {
        for options in [&["-fPIE", "-pie"][..], &["-fPIC"], &["-no-pie", "-fno-PIE"]] {
            let Some(program) = compiled(mpi, &folder, options) else { break };
            for ranks in ["1", "2"] {
                let output = launcher(mpi, ranks).arg(&program).arg(&library).output();
                let output = output.expect("a launcher");
                assert!(output.status.success(), "{mpi} {options:?}: {}", text(&output));
            }
        }
    }
    fs::remove_dir_all(folder).expect("the folder is ours");
}

#[test]
fn two_libraries_are_told() {
    let folder = folder("two");
    let Some(program) = compiled("openmpi", &folder, &[]) else { return };
    let output = Command::new(program).arg(library()).arg("libmpich.so.12").output();
    let output = output.expect("it runs");
    if text(&output).contains("libmpich.so.12: cannot open") {
        eprintln!("not played: libmpich.so.12 is not installed");
    } else {
        assert!(output.status.success(), "{}", text(&output));
        let told =
            "two MPI libraries are in this process, libmpi.so.40 and libmpich.so.12; load one";
        assert!(text(&output).contains(told), "{}", text(&output));
    }
    fs::remove_dir_all(folder).expect("the folder is ours");
}
