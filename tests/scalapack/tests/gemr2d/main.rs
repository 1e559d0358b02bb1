//! `redist` against `pdgemr2d`, `psgemr2d` and `pigemr2d`: the same local arrays afterwards, bit for bit, on every rank.
//!
//! Each trial is one MPI job with as many ranks as its cases need, and compares many cases in it.

mod case;
mod compare;
mod exchange;
mod launch;
mod random;
mod testers;

use case::Case;
use libtest_mimic::{Arguments, Failed, Trial};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where cases come from: a name, the numbers of ranks, and the cases for one of them.
type Origin = (&'static str, fn() -> Vec<usize>, fn(usize) -> Vec<Case>);

const ORIGINS: [Origin; 2] = [("testers", testers::ranks, testers::cases), ("random", random::ranks, random::cases)];

fn main() -> ExitCode {
    match launch::job() {
        Some((origin, ranks)) => rank_main(&origin, ranks),
        None => launcher_main(),
    }
}

/// One rank of a job.
fn rank_main(name: &str, ranks: usize) -> ExitCode {
    let (_, _, cases) = ORIGINS.iter().find(|(origin, ..)| *origin == name).expect("an origin of cases");
    compare::all(&cases(ranks), ranks)
}

/// The process that `cargo test` starts: it starts the jobs.
fn launcher_main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // A job has all cores to itself.
    arguments.test_threads = Some(1);
    let compared = Arc::new(AtomicUsize::new(0));
    let trials = ORIGINS.iter().flat_map(|&(name, ranks, _)| ranks().into_iter().map(move |ranks| (name, ranks)));
    let trials = trials.map(|(name, ranks)| trial(name, ranks, compared.clone())).collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    println!("{} moves equal to ScaLAPACK's, bit for bit", compared.load(Ordering::Relaxed));
    conclusion.exit_code()
}

fn trial(name: &'static str, ranks: usize, compared: Arc<AtomicUsize>) -> Trial {
    Trial::test(format!("{name}::ranks_{ranks}"), move || {
        let output = launch::run(name, ranks)?;
        let moves = compare::moves(&output).ok_or_else(|| Failed::from(format!("nothing was compared:\n{output}")))?;
        compared.fetch_add(moves, Ordering::Relaxed);
        Ok(())
    })
}
