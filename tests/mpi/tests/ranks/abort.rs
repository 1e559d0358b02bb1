//! Effects of one rank's panic on the job.

use redist::mpi::Communicator;
use redist::{Redistribution, Side, TypedPlan};
use redist_mpi_tests::{Case, Outcome};
use std::panic;

pub const CASES: &[Case] = &[
    Case::new("abort::a_panic_ends_the_job", &[1, 3, 4, 12], a_panic).fails(ENDED).limit(30),
    Case::new("abort::a_panic_while_others_move", &[3, 4], a_panic_while_others_move)
        .fails(ENDED)
        .limit(30),
    Case::new("abort::a_panic_on_another_thread", &[3], on_another_thread).fails(ENDED).limit(30),
    Case::new("abort::a_panic_that_reaches_the_end", &[3, 4], without_the_hook)
        .fails(ENDED)
        .limit(30),
    Case::new("abort::a_panic_of_the_only_rank", &[1], of_the_only_rank)
        .fails(&["panicked at", "had enough", GOES_ON])
        .limit(30),
];

/// The launcher passes on the exit code of the abort, and the usual message is in the output.
const ENDED: &[&str] = &["launcher: exit status: 101", "panicked at", "had enough"];

const GOES_ON: &str = "unwinding has gone on behind the end of MPI";

fn a_panic(world: &Communicator) -> Outcome {
    assert!(world.rank() != world.size() / 2, "this rank has had enough");
    world.barrier()?;
    Ok(())
}

fn moves(world: &Communicator, gives_up: impl Fn(usize) -> bool) -> Outcome {
    let [from, to] =
        ["block", "cyclic"].map(|blocks| format!("{blocks} onto {}", world.size().min(3)));
    let plan = TypedPlan::<u64, 1>::parse([600], &from, &to)?;
    let mut bound = plan.bind(world)?;
    let source = vec![1; bound.local_len(Side::Source)];
    let mut destination = vec![0; bound.local_len(Side::Destination)];
    for round in 0..10 {
        assert!(!gives_up(round), "this rank has had enough");
        bound.run(&source, &mut destination)?;
    }
    Ok(())
}

fn a_panic_while_others_move(world: &Communicator) -> Outcome {
    moves(world, |round| (round, world.rank()) == (5, 1))
}

fn on_another_thread(world: &Communicator) -> Outcome {
    if world.rank() == 1 {
        let _ = std::thread::spawn(|| panic!("this thread has had enough")).join();
    }
    world.barrier()?;
    Ok(())
}

/// Unwinding ends in `MPI_Finalize`, which would wait for ranks that wait for this one.
fn without_the_hook(world: &Communicator) -> Outcome {
    panic::set_hook(Box::new(|info| eprintln!("{info}")));
    moves(world, |round| (round, world.rank()) == (5, 1))
}

struct Last;

impl Drop for Last {
    fn drop(&mut self) {
        eprintln!("{GOES_ON}");
    }
}

thread_local! {
    static LAST: Last = const { Last };
}

/// No rank waits for this one, so that no job is aborted.
fn of_the_only_rank(world: &Communicator) -> Outcome {
    LAST.with(|_| ());
    panic::set_hook(Box::new(|info| eprintln!("{info}")));
    moves(world, |round| round == 5)
}
