//! Counts of a soak.

use super::faults::Fault;
use core::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// The counted things, on all ranks of this process together.
#[derive(Clone, Copy, Debug)]
pub enum Counted {
    /// Plans bound.
    Bound,
    /// Moves whose destination was compared with the simulator's.
    Compared,
    /// Elements in them.
    Elements,
    /// Expected errors.
    Errors,
    /// Panics caught in the middle of a move.
    Caught,
}

/// Counters that all ranks of a process share.
#[derive(Debug, Default)]
pub struct Tally {
    counts: [AtomicU64; 5],
    faults: [AtomicU64; Fault::ALL.len()],
}

impl Tally {
    /// Counts something.
    pub fn add(&self, what: Counted, number: u64) {
        self.counts[what as usize].fetch_add(number, Ordering::Relaxed);
    }

    /// Counts a fault, on the rank at fault.
    pub fn fault(&self, fault: Fault) {
        self.faults[fault as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the count of something.
    pub fn get(&self, what: Counted) -> u64 {
        self.counts[what as usize].load(Ordering::Relaxed)
    }

    /// Returns the number of a fault.
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
