//! Whose turn it is to read a sender's messages: one receiver after the other, in the order of the
//! sender's steps.

use crate::program::Step;
use crate::transport::sync::atomic::{AtomicUsize, Ordering};

/// The receivers of one sender's messages, in the order of its steps.
#[derive(Debug, Default)]
pub(super) struct Turns(Vec<Turn>);

/// One receiver's.
#[derive(Debug)]
pub(super) struct Turn {
    pub receiver: usize,
    /// The last exchange in which it is over.
    over: AtomicUsize,
}

impl Turns {
    pub fn of(steps: &[Step]) -> Self {
        let turn = |receiver| Turn { receiver, over: AtomicUsize::new(0) };
        Self(steps.iter().filter_map(|step| step.send).map(turn).collect())
    }

    /// The turns before that of a receiver.
    pub fn before(&self, receiver: usize) -> &[Turn] {
        &self.0[..self.place(receiver).unwrap_or(0)]
    }

    pub fn end(&self, receiver: usize, round: usize) {
        if let Some(place) = self.place(receiver) {
            self.0[place].over.store(round, Ordering::Release);
        }
    }

    pub fn has(&self, receiver: usize) -> bool {
        self.place(receiver).is_some()
    }

    fn place(&self, receiver: usize) -> Option<usize> {
        self.0.iter().position(|turn| turn.receiver == receiver)
    }
}

impl Turn {
    pub fn is_over(&self, round: usize) -> bool {
        self.over.load(Ordering::Acquire) >= round
    }
}
