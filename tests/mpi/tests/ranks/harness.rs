//! The harness itself: it must see every way in which a rank can go wrong, and take nothing else
//! for one.

use crate::EVERY;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist_mpi_tests::{Case, Outcome};
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
        .fails(&["a world of 1 ranks, not of 3", "ended without a word"])
        .limit(20),
];

fn is_last(world: &SimpleCommunicator) -> bool {
    world.rank() == world.size() - 1
}

fn a_ring(world: &SimpleCommunicator) -> Outcome {
    let (rank, size) = (world.rank(), world.size());
    let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
    let (next, before) = (world.process_at_rank(next), world.process_at_rank(before));
    let (got, _) = mpi::point_to_point::send_receive::<i32, _, _, _>(&rank, &next, &before);
    assert_eq!(got, (rank + size - 1) % size);
    Ok(())
}

fn output_is_no_failure(world: &SimpleCommunicator) -> Outcome {
    eprintln!("rank {} panicked? failed? error? Not at all.", world.rank());
    Ok(())
}

fn a_panic(world: &SimpleCommunicator) -> Outcome {
    assert!(!is_last(world), "the last rank panics");
    world.barrier();
    Ok(())
}

fn an_error(world: &SimpleCommunicator) -> Outcome {
    if is_last(world) {
        return Err("the last rank returned an error".into());
    }
    world.barrier();
    Ok(())
}

fn a_hang(world: &SimpleCommunicator) -> Outcome {
    if is_last(world) {
        thread::sleep(Duration::from_secs(600));
    }
    world.barrier();
    Ok(())
}

/// Rank 1 waits inside MPI for what never comes; rank 0 has passed and waits for the end.
fn a_busy_hang(world: &SimpleCommunicator) -> Outcome {
    if world.rank() == 1 {
        world.process_at_rank(0).receive::<i32>();
    }
    Ok(())
}

fn leaves_early(world: &SimpleCommunicator) -> Outcome {
    if is_last(world) {
        process::exit(0);
    }
    world.barrier();
    Ok(())
}

fn leaves_with_a_code(world: &SimpleCommunicator) -> Outcome {
    if is_last(world) {
        process::exit(3);
    }
    world.barrier();
    Ok(())
}

fn is_killed(world: &SimpleCommunicator) -> Outcome {
    if is_last(world) {
        process::abort();
    }
    world.barrier();
    Ok(())
}

fn late(world: &SimpleCommunicator) -> Outcome {
    if is_last(world) {
        thread::sleep(Duration::from_millis(500));
        return Err("too late".into());
    }
    Ok(())
}
