//! The harness itself: it must see every fault of a rank, and report nothing else.

use crate::EVERY;
use redist::mpi::Communicator;
use redist_mpi_tests::{Case, Outcome, passed_on};
use std::process;
use std::thread;
use std::time::Duration;

pub const CASES: &[Case] = &[
    Case::new("harness::a_ring", EVERY, a_ring),
    Case::new("harness::output_is_no_failure", &[2], output_is_no_failure),
    Case::new("harness::a_panic", &[1, 3], a_panic)
        .fails(&["the last rank panics", "panicked at"])
        .limit(20),
    Case::new("harness::an_error", &[1, 3], an_error)
        .fails(&["the last rank returned an error"])
        .limit(20),
    Case::new("harness::a_hang", &[1, 3], a_hang)
        .fails(&["did not end", "still running after 3s"])
        .limit(3),
    Case::new("harness::a_busy_hang", &[2], a_busy_hang)
        .fails(&["rank 1: still running after 3s"])
        .limit(3),
    Case::new("harness::leaves_early", &[1, 3], leaves_early)
        .fails(&["ended without a word"])
        .limit(20),
    Case::new("harness::leaves_with_a_code", &[3], leaves_with_a_code)
        .fails(&["ended without a word"])
        .limit(20),
    Case::new("harness::is_killed", &[2], is_killed).fails(&["ended without a word"]).limit(20),
    Case::new("harness::fails_after_the_others_passed", &[3], late)
        .fails(&["rank 0: passed", "too late"])
        .limit(20),
    Case::new("harness::another_launcher", &[3], a_ring)
        .foreign_launcher()
        .fails(&["started 3 ranks, of which", "knows this one alone", "ended without a word"])
        .limit(20),
];

fn is_last(world: &Communicator) -> bool {
    world.rank() == world.size() - 1
}

fn a_ring(world: &Communicator) -> Outcome {
    let before = (world.rank() + world.size() - 1) % world.size();
    assert_eq!(passed_on(world, Some(before))?, before);
    Ok(())
}

fn output_is_no_failure(world: &Communicator) -> Outcome {
    eprintln!("rank {} panicked? failed? error? Not at all.", world.rank());
    Ok(())
}

fn a_panic(world: &Communicator) -> Outcome {
    assert!(!is_last(world), "the last rank panics");
    world.barrier()?;
    Ok(())
}

fn an_error(world: &Communicator) -> Outcome {
    if is_last(world) {
        return Err("the last rank returned an error".into());
    }
    world.barrier()?;
    Ok(())
}

fn a_hang(world: &Communicator) -> Outcome {
    if is_last(world) {
        thread::sleep(Duration::from_secs(600));
    }
    world.barrier()?;
    Ok(())
}

/// Rank 1 waits inside MPI for a message that never comes; rank 0 has passed and waits for the end.
fn a_busy_hang(world: &Communicator) -> Outcome {
    if world.rank() == 1 {
        world.recv(&mut [0_i32], Some(0), None)?;
    }
    Ok(())
}

fn leaves_early(world: &Communicator) -> Outcome {
    if is_last(world) {
        process::exit(0);
    }
    world.barrier()?;
    Ok(())
}

fn leaves_with_a_code(world: &Communicator) -> Outcome {
    if is_last(world) {
        process::exit(3);
    }
    world.barrier()?;
    Ok(())
}

fn is_killed(world: &Communicator) -> Outcome {
    if is_last(world) {
        process::abort();
    }
    world.barrier()?;
    Ok(())
}

fn late(world: &Communicator) -> Outcome {
    if is_last(world) {
        thread::sleep(Duration::from_millis(500));
        return Err("too late".into());
    }
    Ok(())
}
