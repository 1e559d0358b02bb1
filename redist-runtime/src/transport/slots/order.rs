//! The order of moves, which all ranks count alike: begun, or passed.

#[cfg(any(feature = "mpi", test))]
use super::Showing;
use super::Slots;
use crate::transport::sync::atomic::Ordering;

impl Slots {
    /// Begins a move of `count` chunks; returns the number of the first. It ends before another begins
    /// or is passed.
    pub(super) fn begin(&self, count: u64) -> u64 {
        self.done.replace(self.done.get() + count)
    }

    /// Tells the others that this rank needs nothing any more of all moves so far.
    pub(super) fn tell_all_done(&self) {
        let (own, next) = (self.progress(self.rank), self.done.get());
        own.staged.store(next, Ordering::Release);
        own.copied.store(next, Ordering::Release);
    }

    /// Counts a move of `count` slots that does not come, whether its chunk was shown or not: all ranks
    /// do, in the place of the move.
    #[cfg(any(feature = "mpi", test))]
    pub fn pass(&self, showing: &mut Showing, count: u64) {
        showing.has_begun = false;
        self.done.set(self.next_span(count).end());
        self.tell_all_done();
    }
}
