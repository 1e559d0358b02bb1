//! Lists of the harness: a cell that ends its job is named, and the cells behind it are played.

use libtest_mimic::{Arguments, Failed, Trial};
use redist::mpi::Communicator;
use redist_mpi_tests::{Case, Outcome, current_case, outcomes, passed_on, play_if_launched};
use std::io::{self, Write};
use std::process::{self, ExitCode};
use std::sync::LazyLock;
use std::time::Duration;
use std::{panic, thread};

const CELLS: &[Case] = &[
    Case::new("the_first", &[4], passes),
    Case::new("hangs", &[3], hangs).limit(2),
    Case::new("behind_a_hang", &[4], passes),
    Case::new("is_killed", &[3], is_killed),
    Case::new("behind_a_killed_rank", &[2], passes),
    Case::new("has_wrong_data", &[4], has_wrong_data),
    Case::new("behind_wrong_data", &[3], passes),
    Case::new("panics", &[2], panics),
    Case::new("behind_a_panic", &[1], passes),
    Case::new("panics_in_silence", &[3], panics_in_silence),
    Case::new("behind_a_silenced_panic", &[4], passes),
    Case::new("leaves", &[2], leaves),
    Case::new("the_last", &[4], passes),
];

const FAILURES: &[(&str, &[&str])] = &[
    ("hangs::3", &["rank 2: still running after 2s", "hangs writes this"]),
    ("is_killed::3", &["rank 2: ended without a word", "is_killed writes this"]),
    ("has_wrong_data::4", &["rank 3: returned an error: wrong data"]),
    ("panics::2", &["rank 1: panicked at", "the last rank panics"]),
    ("panics_in_silence::3", &["rank 2: panicked: the last rank panics in silence"]),
    ("leaves::2", &["rank 1: ended without a word"]),
];

static OUTCOMES: LazyLock<Vec<(String, Result<(), String>)>> = LazyLock::new(|| outcomes(CELLS));

fn main() -> ExitCode {
    if play_if_launched(CELLS) {
        return ExitCode::SUCCESS;
    }
    let names = CELLS.iter().map(|case| format!("{}::{}", case.name, case.ranks[0]));
    let trials = names.enumerate().map(|(number, name)| {
        Trial::test(format!("lists::{name}"), move || is_as_it_should(number, &name))
    });
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn is_as_it_should(number: usize, name: &str) -> Result<(), Failed> {
    let outcomes = &*OUTCOMES;
    let (said_of, said) = outcomes.get(number).ok_or("nothing is said of it")?;
    if (said_of.as_str(), outcomes.len()) != (name, CELLS.len()) {
        return Err(format!("{} outcomes, here of {said_of}", outcomes.len()).into());
    }
    let wanted = FAILURES.iter().find(|(cell, _)| *cell == name);
    match (wanted, said) {
        (None, Ok(())) => Ok(()),
        (None, Err(report)) => Err(format!("it should pass:\n{report}").into()),
        (Some(_), Ok(())) => Err("it should fail".into()),
        (Some((_, words)), Err(report)) => {
            let others =
                CELLS.iter().map(|case| case.name).filter(|other| !name.starts_with(other));
            let foreign: Vec<_> =
                others.filter(|other| report.contains(&format!("{other} writes this"))).collect();
            let missing: Vec<_> = words.iter().filter(|words| !report.contains(**words)).collect();
            let text = || format!("it lacks {missing:?}, has output of {foreign:?}:\n{report}");
            if missing.is_empty() && foreign.is_empty() { Ok(()) } else { Err(text().into()) }
        }
    }
}

/// Writes something, and meets all others; returns `true` on the last rank.
fn begin(world: &Communicator) -> bool {
    let text = format!("{} writes this\n", current_case().unwrap_or_default());
    let _ = io::stderr().write_all(text.as_bytes());
    world.barrier().expect("all meet");
    world.rank() == world.size() - 1
}

fn passes(world: &Communicator) -> Outcome {
    begin(world);
    let before = (world.rank() + world.size() - 1) % world.size();
    let got = passed_on(world, Some(before))?;
    if got == before { Ok(()) } else { Err(format!("{got} comes from {before}").into()) }
}

fn hangs(world: &Communicator) -> Outcome {
    if begin(world) {
        thread::sleep(Duration::from_secs(600));
    }
    world.barrier()?;
    Ok(())
}

fn is_killed(world: &Communicator) -> Outcome {
    if begin(world) {
        // Its output goes through the launcher.
        thread::sleep(Duration::from_millis(200));
        process::abort();
    }
    world.barrier()?;
    Ok(())
}

fn has_wrong_data(world: &Communicator) -> Outcome {
    if begin(world) {
        return Err("wrong data".into());
    }
    world.barrier()?;
    Ok(())
}

fn panics(world: &Communicator) -> Outcome {
    assert!(!begin(world), "the last rank panics");
    world.barrier()?;
    Ok(())
}

fn panics_in_silence(world: &Communicator) -> Outcome {
    panic::set_hook(Box::new(|_| ()));
    assert!(!begin(world), "the last rank panics in silence");
    world.barrier()?;
    Ok(())
}

fn leaves(world: &Communicator) -> Outcome {
    if begin(world) {
        process::exit(0);
    }
    world.barrier()?;
    Ok(())
}
