//! Moves between two threads' shared arrays, by two plans in turn.

use crate::asked::Asked;
use redist::{Element, Error, Redistribution, Side, TypedPlan, threads};
use redist_moves::Meeting;
use std::sync::Mutex;

/// Returns each round's seconds, by `item` and by a run-time plan of the same layouts.
pub fn samples<T: Element>(
    item: &(impl Redistribution<1, Element = T> + Sync),
    asked: &Asked,
) -> Vec<Vec<f64>> {
    let plan = TypedPlan::<T, 1>::from(item.plan());
    let ranks = item.plan().ranks();
    let (meeting, times) = (Meeting::new(ranks), Mutex::new(Vec::new()));
    let moved = threads::run(ranks, |rank| {
        let mut bound = [asked.binder(item).bind(rank)?, asked.binder(&plan).bind(rank)?];
        let source = vec![T::ZERO; bound[0].local_len(Side::Source)];
        let mut destination = vec![T::ZERO; bound[0].local_len(Side::Destination)];
        let is_first = rank.rank() == 0;
        let samples = asked.turns.take(2, |number| {
            // Brings the caches into the state that this plan leaves them in.
            bound[number].run(&source, &mut destination)?;
            meeting.timed(is_first, || bound[number].run(&source, &mut destination))
        })?;
        if is_first {
            *times.lock().expect("no rank panics here") = samples;
        }
        Ok::<_, Error>(())
    });
    moved.unwrap_or_else(|failure| panic!("{}: {failure}", item.name()));
    times.into_inner().expect("no rank panics here")
}
