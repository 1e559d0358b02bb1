//! Finds ranks on the core of the rank that waits for them, which must then offer its core. The
//! number of cores does not show it, because ranks may be bound to any cores.

use super::{Ballots, Tally};
use crate::transport::sync::IS_MODELLED;
use crate::transport::sync::atomic::Ordering;

/// Looks for votes of ranks on other cores before a rank offers its core: some microseconds. Such a
/// rank may have to wait for its core, too.
const LOOKS: usize = if IS_MODELLED { 1 } else { 100 };

/// Returns the number of this thread's core, plus one; 0 if the system does not say.
fn core() -> u64 {
    #[cfg(all(feature = "mpi", target_os = "linux", not(loom)))]
    return rustix::thread::sched_getcpu() as u64 + 1;
    #[cfg(not(all(feature = "mpi", target_os = "linux", not(loom))))]
    return 0;
}

impl<T: Tally> Ballots<T> {
    pub(super) fn note_core(&self) {
        let (core, noted) = (core(), &self.page(self.rank).core);
        // Written rarely, because other ranks read it.
        if noted.load(Ordering::Relaxed) != core {
            noted.store(core, Ordering::Relaxed);
        }
    }

    /// Returns `true` if this rank looks again for a vote's end after so many looks, without
    /// offering its core. Asks for the core once in a row of looks.
    pub(super) fn looks_on(&self, looks: usize, number: u64) -> bool {
        looks < LOOKS && (looks > 1 || !self.waits_for_core(core(), number))
    }

    /// Returns `true` if a rank whose ballot is missing is known to run on this core.
    pub(super) fn waits_for_core(&self, core: u64, number: u64) -> bool {
        let state = self.state.borrow();
        let is_missing = |rank: &usize| state.seen[*rank] <= number;
        let is_here = |rank| self.page(rank).core.load(Ordering::Relaxed) == core;
        core != 0 && (0..self.parts.len()).filter(is_missing).any(is_here)
    }
}
