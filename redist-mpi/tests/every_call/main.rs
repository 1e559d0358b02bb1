//! Makes every call, on 1, 2 and 4 ranks, by each installed launcher. This binary launches itself:
//! `every_call play` plays one rank, under any launcher and any library.

mod groups;
mod life;
mod messages;
mod play;
mod together;

use redist_mpi::VARIABLE;
use std::env;
use std::process::{Command, ExitCode};

/// Launchers of Debian's libraries, with their options for fewer cores than ranks.
const LAUNCHERS: [(&str, &[&str]); 2] = [
    ("mpiexec.openmpi", &["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]),
    ("mpiexec.mpich", &[]),
];

fn main() -> ExitCode {
    match env::args().nth(1).as_deref() {
        Some("play") => play::play(),
        Some("find") => ExitCode::from(u8::from(redist_mpi::Library::get().is_err())),
        _ => launch(),
    }
}

fn launch() -> ExitCode {
    let mut failed = 0;
    for (launcher, options) in LAUNCHERS {
        for ranks in ["1", "2", "4"] {
            failed += played(launcher, options, ranks, &[], Some(0));
        }
        failed += played(launcher, options, "2", &[("REDIST_MPI_FUNNELED", "1")], Some(0));
        // Under a launcher of another library, each rank is a world of its own.
        let other = if launcher == "mpiexec.mpich" { "libmpi.so.40" } else { "libmpich.so.12" };
        if redist_mpi_loads(other) {
            failed += played(launcher, options, "2", &[(VARIABLE, other)], Some(play::ALONE));
        }
    }
    ExitCode::from(failed)
}

fn redist_mpi_loads(name: &str) -> bool {
    let itself = env::current_exe().expect("this binary");
    let found = Command::new(itself).arg("find").env(VARIABLE, name).status();
    found.is_ok_and(|status| status.success())
}

/// Plays the ranks; returns 1 if they end otherwise than they should.
fn played(
    launcher: &str,
    options: &[&str],
    ranks: &str,
    variables: &[(&str, &str)],
    expected: Option<i32>,
) -> u8 {
    // Ranks that wait for each other would wait for ever.
    let launched = Command::new("timeout")
        .args(["120", launcher])
        .args(options)
        .args(["-n", ranks])
        .arg(env::current_exe().expect("this binary"))
        .arg("play")
        .env("OMPI_MCA_mpi_yield_when_idle", "1")
        .envs(variables.iter().copied())
        .status();
    match launched.expect("GNU's `timeout`").code() {
        Some(127) => println!("not played: {launcher} is not installed"),
        code if code == expected => (),
        code => {
            println!("{launcher} with {ranks} ranks, {variables:?}: exit code {code:?}");
            return 1;
        }
    }
    0
}
