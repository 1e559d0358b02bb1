//! Ranks that take turns on cores which other threads keep busy: their chunks go ahead in a long ring.

use crate::arrays::{Parts, case, chunk_bytes, plan};
use redist::Redistribution;
use redist::mpi::Communicator;
use redist_mpi_tests::{Case, Outcome, nodes};
use std::hint::spin_loop;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, available_parallelism};

pub const CASES: &[Case] = &[
    Case::new("turns::beside_busy_cores", &[2, 3, 4, 6], busy).limit(60),
    Case::new("turns::a_ring_where_one_node_packs", &[3, 5], packs_on_one_node).limit(60),
];

/// Moves. Turns become long within the first ones.
const ROUNDS: u64 = 8;

/// Spins on a thread while this rank works.
fn beside_a_busy_thread(work: impl FnOnce() -> Outcome) -> Outcome {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                spin_loop();
            }
        });
        let outcome = work();
        is_over.store(true, Ordering::Relaxed);
        outcome
    })
}

/// Returns the bytes that are left for shared memory; 0 if the system does not say. Rings take a small
/// part of them.
fn shared_memory_left() -> u64 {
    let told = Command::new("df").args(["--output=avail", "--block-size=1", "/dev/shm"]).output();
    let text = told.map(|told| String::from_utf8_lossy(&told.stdout).into_owned());
    text.ok().and_then(|text| text.lines().nth(1)?.trim().parse().ok()).unwrap_or(0)
}

/// Arrays that a ring of 8 slots does not hold move beside small ones of the same context, all at once
/// or with ranks that start.
fn busy(world: &Communicator) -> Outcome {
    let ranks = world.size();
    let (all, few) = (format!("block onto {ranks}"), ranks.min(3));
    let len = 18 * chunk_bytes(world)? / size_of::<u64>();
    let large = case([ranks * len], &all, &format!("cyclic(700) onto {few}"));
    let small = case([ranks * 1_000], &format!("cyclic(7) onto {few}"), &all);
    let [arrays, few] = [&large, &small].map(|case| Parts::<u64>::new(case, world.rank()));
    let (mut bound, mut short) = (plan::<u64, 1>(&large).bind(world)?, plan(&small).bind(world)?);
    let cores = available_parallelism().map_or(ranks, usize::from);
    if nodes(world) == 1 && ranks >= cores && shared_memory_left() > 1 << 30 {
        assert!(bound.explain().contains("leave no core to others"), "{}", bound.explain());
    }
    assert!(!short.explain().contains("leave no core"), "{}", short.explain());
    beside_a_busy_thread(|| {
        for round in 0..ROUNDS {
            arrays.moved(&mut bound, round)?;
            few.moved(&mut short, round)?;
            let (source, mut destination) = (arrays.source(round), arrays.untouched());
            match (round as usize + world.rank()) % 4 {
                0 => bound.start(&source, &mut destination)?.finish()?,
                _ => bound.run(&source, &mut destination)?,
            }
            arrays.same(&destination, round)?;
        }
        Ok(())
    })
}

/// Short runs of one rank are packed for ranks of its node. A node without that rank packs nothing, and
/// has the same ring all the same.
fn packs_on_one_node(world: &Communicator) -> Outcome {
    for from in [0, world.size() - 1] {
        let from = format!("cyclic(7) onto 1 ranks [{from}]");
        let case = case([70_001], &from, &format!("block onto {}", world.size()));
        let parts = Parts::<u64>::new(&case, world.rank());
        let mut bound = plan::<u64, 1>(&case).binder().collectively().bind(world)?;
        (0..2).try_for_each(|round| parts.moved(&mut bound, round))?;
    }
    Ok(())
}
