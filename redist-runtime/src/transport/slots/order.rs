//! The order of moves, which all ranks count alike: begun and ended, or passed, also within another.

#[cfg(any(feature = "mpi", test))]
use super::Showing;
use super::Slots;
use crate::transport::sync::atomic::Ordering;

impl Slots {
    /// Begins a move of `count` chunks; returns the number of the first.
    ///
    /// # Panics
    /// If this rank is in the middle of another.
    pub(super) fn begin(&self, count: u64) -> u64 {
        assert!(!self.is_busy.replace(true), "a move of chunks within another");
        let first = self.done.get();
        self.done.set(first + count);
        first
    }

    /// Ends it, of which the others know up to chunk `told`, and with it those that have been passed in
    /// the meantime.
    pub(super) fn end(&self, told: u64) {
        self.is_busy.set(false);
        if self.done.get() > told {
            self.tell_all_done();
        }
    }

    /// Whether this rank is in the middle of a move: it cannot show chunks of another then, and says so
    /// where ranks meet for that.
    #[cfg(any(feature = "mpi", test))]
    pub fn is_busy(&self) -> bool {
        self.is_busy.get()
    }

    /// Tells the others that this rank needs nothing any more of all moves so far.
    fn tell_all_done(&self) {
        let (own, next) = (self.progress(self.rank), self.done.get());
        own.staged.store(next, Ordering::Release);
        own.copied.store(next, Ordering::Release);
    }

    /// Counts a move of `count` slots that does not come, whether its chunk was shown or not: all ranks
    /// do, in the place of the move. Within another move, the others are told when that ends.
    #[cfg(any(feature = "mpi", test))]
    pub fn pass(&self, showing: &mut Showing, count: u64) {
        showing.has_begun = false;
        self.done.set(self.next_span(count).end());
        if !self.is_busy() {
            self.tell_all_done();
        }
    }
}
