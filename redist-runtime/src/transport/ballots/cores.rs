//! Whether a rank that is waited for runs on the core of the one that waits, which then has to
//! offer it.
//!
//! How many cores there are does not tell: ranks may be bound to some of them, and those that are
//! missing may all run elsewhere.

use super::{Ballots, Tally};
use crate::transport::sync::IS_MODELLED;
use crate::transport::sync::atomic::Ordering;

/// How often a rank looks in vain for votes of ranks on other cores before it offers its own: some
/// microseconds. Such a rank may have to wait for its core, too.
const LOOKS: usize = if IS_MODELLED { 1 } else { 100 };

/// The number of the core that this thread runs on, plus one; 0 where the system does not tell.
fn core() -> u64 {
    #[cfg(all(feature = "mpi", target_os = "linux", not(loom)))]
    return rustix::thread::sched_getcpu() as u64 + 1;
    #[cfg(not(all(feature = "mpi", target_os = "linux", not(loom))))]
    return 0;
}

impl<T: Tally> Ballots<T> {
    /// Tells the others on which core this rank is, where they do not know.
    pub(super) fn note_core(&self) {
        let (core, noted) = (core(), &self.page(self.rank).core);
        // Written to rarely, since others read it.
        if noted.load(Ordering::Relaxed) != core {
            noted.store(core, Ordering::Relaxed);
        }
    }

    /// Whether this rank, which has looked as often for a vote to be over, looks on before it offers
    /// its core to others. Which core it is on is asked for once in a row of looks.
    pub(super) fn looks_on(&self, looks: usize, number: u64) -> bool {
        looks < LOOKS && (looks > 1 || !self.waits_for_core(core(), number))
    }

    /// Whether a rank whose ballot was not counted yet is known to run on this core.
    pub(super) fn waits_for_core(&self, core: u64, number: u64) -> bool {
        let state = self.state.borrow();
        let is_missing = |rank: &usize| state.seen[*rank] <= number;
        let is_here = |rank| self.page(rank).core.load(Ordering::Relaxed) == core;
        core != 0 && (0..self.parts.len()).filter(is_missing).any(is_here)
    }
}
