//! A soak over MPI ranks, on demand: `REDIST_SOAK_SECONDS=1800 .ci/mpi --ignored soak::`. A short
//! one always runs. `tests/movement/soak.rs` lists the variables.

use crate::routes::selectable;
use fastrand::Rng;
use redist::mpi::{Communicator, Operation};
use redist::transport::Route;
use redist_mpi_tests::{Case, Outcome, several_nodes};
use redist_testing::soak::{
    Counted, Ending, Fault, Faults, Memory, Pool, Setting, Tally, Watchdog, act,
};
use std::env;
use std::time::{Duration, Instant};

pub const CASES: &[Case] = &[
    Case::new("soak::a_little", &[2, 4], a_little).limit(90),
    Case::new("soak::for_long", &[2, 4], for_long).limit(7200).ignored(),
];

/// Faults after which the communicator of the job makes no move.
const LEFT_OUT: [Fault; 3] = [Fault::OtherOrder, Fault::ReturnsEarly, Fault::Panics];

fn number(name: &str, usual: u64) -> u64 {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn on_any(world: &Communicator, here: bool) -> bool {
    let mut there = [0_u8];
    let on_all = world.allreduce(&[u8::from(here)], &mut there, Operation::Max);
    on_all.expect("the library reduces");
    there == [1]
}

fn soak(
    world: &Communicator,
    tally: &Tally,
    mut is_enough: impl FnMut(u64) -> Result<bool, String>,
) -> Result<u64, Box<dyn std::error::Error>> {
    std::panic::set_hook(Box::new(|info| {
        if !info.payload_as_str().is_some_and(|text| text.starts_with("soak: ")) {
            eprintln!("{info}");
        }
    }));
    let (rank, ranks) = (world.rank(), world.size());
    let dog = Watchdog::new(Duration::from_secs(number("REDIST_SOAK_PATIENCE", 60)));
    let (seed, first) =
        (number("REDIST_SOAK_SEED", number("REDIST_MPI_SEED", 1)), number("REDIST_SOAK_FIRST", 0));
    let (pool, faults) = (Pool::new(seed, 60, ranks), Faults::but(&LEFT_OUT));
    let routes: Vec<Route> = selectable(world).chain([Route::Automatic]).collect();
    let (pool, routes, faults, on_nodes) = (&pool, &routes[..], &faults, several_nodes());
    let setting = Setting { pool, ranks, on_nodes, routes, faults, tally };
    let mut acts = 0;
    loop {
        let number = first + acts;
        dog.note(format!("act {number} of seed {seed}, rank {rank}"));
        if on_any(world, is_enough(acts)?) {
            return Ok(acts);
        }
        let mut rng = Rng::with_seed(seed << 32 | number);
        let ending = act(&setting, world, rank, &mut rng);
        match ending.map_err(|wrong| format!("act {number} of seed {seed}: {wrong}"))? {
            Ending::GoesOn => acts += 1,
            Ending::IsOver => return Err("no rank may end here".into()),
        }
    }
}

fn a_little(world: &Communicator) -> Outcome {
    let tally = Tally::default();
    let acts = soak(world, &tally, |acts| Ok(acts >= number("REDIST_SOAK_RUNS", 200)))?;
    assert!(tally.get(Counted::Compared) > acts, "{tally}");
    assert!(tally.get(Counted::Errors) > 0, "{tally}");
    Ok(())
}

fn for_long(world: &Communicator) -> Outcome {
    let length = Duration::from_secs(number("REDIST_SOAK_SECONDS", 600));
    let (begun, mut memory, tally) = (Instant::now(), Memory::held(length), Tally::default());
    let acts = soak(world, &tally, |acts| {
        if acts.is_multiple_of(200) {
            memory.sample()?;
        }
        Ok(begun.elapsed() > length)
    })?;
    let rank = world.rank();
    eprintln!("rank {rank}: {acts} acts in {:?}: {tally}; {memory}", begun.elapsed());
    Ok(())
}
