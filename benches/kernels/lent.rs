//! Moves between the lent arrays of two threads, by two plans that take turns.

use super::binder;
use redist::{Element, Error, Redistribution, RuntimePlan, Side, threads};
use std::sync::{Barrier, Mutex};
use std::time::Instant;

/// How often each plan has its turn.
const ROUNDS: usize = 11;

/// Seconds of a move by `item`, and by a plan of the same layouts made at run time, in the median.
pub fn seconds<T: Element>(item: &(impl Redistribution<1, Element = T> + Sync)) -> [f64; 2] {
    let plan = RuntimePlan::<T, 1>::from(item.plan());
    let ranks = item.plan().ranks();
    let (barrier, times) = (Barrier::new(ranks), Mutex::new([const { Vec::new() }; 2]));
    let moved = threads::run(ranks, |rank| {
        let mut bound = [binder(item).bind(rank)?, binder(&plan).bind(rank)?];
        let source = vec![T::ZERO; bound[0].local_len(Side::Source)];
        let mut destination = vec![T::ZERO; bound[0].local_len(Side::Destination)];
        for round in 0..2 * ROUNDS {
            let bound = &mut bound[round % 2];
            // Brings the caches into the state that this plan leaves them in.
            bound.run(&source, &mut destination)?;
            barrier.wait();
            let start = Instant::now();
            bound.run(&source, &mut destination)?;
            barrier.wait();
            if rank.rank() == 0 {
                let seconds = start.elapsed().as_secs_f64();
                times.lock().expect("no rank panics here")[round % 2].push(seconds);
            }
        }
        Ok::<_, Error>(())
    });
    moved.unwrap_or_else(|failure| panic!("{}: {failure}", item.name()));
    times.into_inner().expect("no rank panics here").map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    })
}
