//! Counts moves and faults of the soak.

use super::faults::Fault;
use core::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Clone, Copy, Debug)]
pub enum Counted {
    Bound,
    /// Moves whose destination was compared with the simulator's.
    Compared,
    Elements,
    Errors,
    Caught,
}

#[derive(Debug, Default)]
pub struct Tally {
    counts: [AtomicU64; 5],
    faults: [AtomicU64; Fault::ALL.len()],
}

impl Tally {
    pub fn add(&self, what: Counted, number: u64) {
        self.counts[what as usize].fetch_add(number, Ordering::Relaxed);
    }

    pub fn fault(&self, fault: Fault) {
        self.faults[fault as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub fn get(&self, what: Counted) -> u64 {
        self.counts[what as usize].load(Ordering::Relaxed)
    }

    pub fn faults(&self, fault: Fault) -> u64 {
        self.faults[fault as usize].load(Ordering::Relaxed)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} plans bound, {} moves of {} elements compared, {} errors told, {} panics caught amid moves; faults:",
            self.get(Counted::Bound),
            self.get(Counted::Compared),
            self.get(Counted::Elements),
            self.get(Counted::Errors),
            self.get(Counted::Caught),
        )?;
        Fault::ALL.into_iter().try_for_each(|fault| write!(f, " {fault} {}", self.faults(fault)))
    }
}
