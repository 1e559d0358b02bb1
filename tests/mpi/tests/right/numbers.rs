//! Numbers of drawn programs, and the words that play one again.

use redist_mpi_tests::{current_case, seed};
use std::env;
use std::fmt::Display;
use std::io::{self, Write};

/// Programs that two runs with seeds next to each other have apart.
const APART: u64 = 10_000;

/// Variables with numbers of programs of moves, and of ends.
const VARIABLES: [&str; 2] = ["REDIST_RIGHT", "REDIST_ENDS"];

/// Returns the numbers of the programs to play: the numbers that a variable has, none if the second
/// variable has some, and otherwise `some` or `all` drawn ones.
pub fn numbers(variable: &str, (some, all): (u64, u64)) -> Vec<u64> {
    if let Ok(asked) = env::var(variable) {
        let number =
            |text: &str| text.trim().parse().expect("a program's number between two commas");
        return asked.split(',').filter(|text| !text.is_empty()).map(number).collect();
    }
    if are_asked_for() {
        return Vec::new();
    }
    let plays_all = env::var("REDIST_TEST_ALL").is_ok_and(|text| text == "1");
    let count = number_in("REDIST_RIGHT_PROGRAMS").unwrap_or(if plays_all { all } else { some });
    let first = seed().wrapping_mul(APART).wrapping_add(offset());
    (first..).take(count as usize).collect()
}

/// Returns `true` if some programs are asked for by number.
pub fn are_asked_for() -> bool {
    VARIABLES.iter().any(|variable| env::var_os(variable).is_some())
}

/// Returns the number that a variable of the environment has.
pub fn number_in(variable: &str) -> Option<u64> {
    env::var(variable).ok().and_then(|text| text.parse().ok())
}

/// Returns a number that each library has on each number of nodes: they play different programs.
fn offset() -> u64 {
    let is_mpich = env::var("REDIST_MPI_TESTS_OVER").is_ok_and(|text| text == "mpich");
    1_000 * (2 * number_in("REDIST_MPI_NODES").unwrap_or(1) + u64::from(is_mpich))
}

/// Returns the number at the end of this case's name.
pub fn this_number() -> Result<u64, &'static str> {
    let case = current_case().unwrap_or_default();
    let number = case.rsplit("::").next().and_then(|text| text.parse().ok());
    number.ok_or("the case has no number")
}

/// Prints a program, and the command that plays it again: if it fails, they stand in the report.
pub fn print(program: &impl Display, variable: &str, number: u64) {
    let kept = ["REDIST_MPI_TESTS_OVER", "REDIST_MPI_NODES", "RANKS_OF_NODES", "MPIEXEC"];
    let set = |name: &&str| Some(format!("{name}={:?} ", env::var(name).ok()?));
    let set = kept.iter().filter_map(set).collect::<String>();
    let command = "cargo test -p redist-mpi-tests --features mpi --test right";
    // In one piece, because launchers take each write for a line.
    let text = format!("{program}  played again by: {variable}={number} {set}{command}\n");
    let _ = io::stderr().write_all(text.as_bytes());
}
