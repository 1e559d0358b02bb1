//! The library's own move between threads, and a barrier made of it.

use redist::{Bound, Element, Error, Plan, Redistribution, Side, TypedPlan, threads};

/// A rank's own move by the library, with its arrays.
pub struct Library<T: Element> {
    pub bound: Bound<T, 1>,
    pub source: Vec<T>,
    pub destination: Vec<T>,
}

impl<T: Element> Library<T> {
    pub fn new(plan: Plan<1>, rank: &threads::Rank, value: T) -> Result<Self, Error> {
        let bound = TypedPlan::<T, 1>::from(plan).bind(rank)?;
        let [source, destination] =
            [Side::Source, Side::Destination].map(|side| vec![value; bound.local_len(side)]);
        Ok(Self { bound, source, destination })
    }

    pub fn run(&mut self) -> Result<(), Error> {
        self.bound.run(&self.source, &mut self.destination)
    }
}

/// Moves an element between all ranks. Unlike at `std`'s barrier, waiting ranks fail if one ends.
pub struct Barrier(Library<u8>);

impl Barrier {
    pub fn new(rank: &threads::Rank) -> Result<Self, Error> {
        let ranks = rank.size();
        let [from, to] = ["block", "cyclic"].map(|dist| format!("{dist} onto {ranks}"));
        let plan = Plan::parse([ranks * ranks], &from, &to)?;
        Library::new(plan, rank, 0).map(Self)
    }

    pub fn wait(&mut self) -> Result<(), Error> {
        self.0.run()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn no_rank_passes_before_all_have_come() {
        let come = AtomicUsize::new(0);
        let seen = threads::run(3, |rank| {
            let mut barrier = Barrier::new(rank)?;
            let mut seen = Vec::new();
            for _ in 0..200 {
                come.fetch_add(1, Ordering::Relaxed);
                barrier.wait()?;
                seen.push(come.load(Ordering::Relaxed));
                barrier.wait()?;
            }
            Ok::<_, Error>(seen)
        });
        let expected: Vec<usize> = (1..=200).map(|round| 3 * round).collect();
        assert_eq!(seen, Ok(vec![expected; 3]));
    }

    #[test]
    fn a_rank_that_fails_leaves_none_waiting() {
        let ended = threads::run(3, |rank| {
            let mut barrier = Barrier::new(rank)?;
            barrier.wait()?;
            if rank.rank() == 1 {
                Plan::<1>::parse([4], "cyclic onto 0", "cyclic onto 1")?;
            }
            barrier.wait()
        });
        assert!(matches!(ended, Err(threads::Failure::Error { rank: 1, .. })), "{ended:?}");
    }
}
