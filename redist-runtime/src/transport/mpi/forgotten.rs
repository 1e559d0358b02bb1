//! Moves under way whose plans are dropped: what they still receive has its memory until it is there.

use std::cell::RefCell;
use std::fmt;
use std::mem;

/// A move under way that no caller finishes.
pub(super) trait ForgottenMove {
    /// Ends the move if that waits for no rank. Returns `true` if it has ended.
    fn has_ended(&mut self) -> bool;
}

/// The forgotten moves of a context.
#[derive(Default)]
pub(super) struct ForgottenMoves(RefCell<Vec<Box<dyn ForgottenMove>>>);

impl ForgottenMoves {
    pub fn keep(&self, forgotten: Box<dyn ForgottenMove>) {
        self.0.borrow_mut().push(forgotten);
    }

    /// Drops moves that end without a wait. Returns `true` if none is left. Called where this rank
    /// makes a call of the context, or MPI ends, but by no destructor.
    pub fn end_some(&self) -> bool {
        if self.0.borrow().is_empty() {
            return true;
        }
        // Dropped outside of the borrow, because they use the context.
        let mut all = mem::take(&mut *self.0.borrow_mut());
        all.retain_mut(|forgotten| !forgotten.has_ended());
        self.0.borrow_mut().append(&mut all);
        self.0.borrow().is_empty()
    }
}

impl fmt::Debug for ForgottenMoves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} forgotten moves", self.0.borrow().len())
    }
}
