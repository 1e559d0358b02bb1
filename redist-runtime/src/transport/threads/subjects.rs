//! The subjects of threads' moves: a number for each channel that some rank has not dropped.

use crate::transport::board::SUBJECTS;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Always std's lock: nothing else happens while it is held, so models need no orders of it.
#[derive(Debug, Default)]
pub(super) struct Subjects(Mutex<GivenSubjects>);

/// The subjects that channels have, and the subjects that are free again.
#[derive(Debug, Default)]
struct GivenSubjects {
    /// By the number of the call that has opened the channel: its subject, and the ranks that have
    /// not dropped it.
    of_channels: HashMap<u64, (u64, usize)>,
    /// Subjects of channels that all ranks have dropped.
    free: Vec<u64>,
}

impl Subjects {
    fn given(&self) -> MutexGuard<'_, GivenSubjects> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the subject of the channel that call `opened` of all `ranks` has opened: the same on
    /// all, and no other channel's until all have [dropped](Self::drop) it.
    pub fn of(&self, opened: u64, ranks: usize) -> u64 {
        let given = &mut *self.given();
        if let Some((subject, _)) = given.of_channels.get(&opened) {
            return *subject;
        }
        // All others are from 1 to the number of channels, because 0 is an exchange.
        let next = given.of_channels.len() as u64 + 1;
        let subject = given.free.pop().unwrap_or(next);
        assert!(subject < SUBJECTS, "fewer channels than subjects");
        given.of_channels.insert(opened, (subject, ranks));
        subject
    }

    /// Notes that a rank has dropped a channel.
    pub fn drop(&self, opened: u64) {
        let given = &mut *self.given();
        let Some((subject, left)) = given.of_channels.get_mut(&opened) else { return };
        *left -= 1;
        if *left == 0 {
            given.free.push(*subject);
            given.of_channels.remove(&opened);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many calls apart, the numbers of the calls that open them have the same last 24 bits.
    #[test]
    fn channels_that_are_there_at_once_differ() {
        let subjects = Subjects::default();
        let [first, second] = [5, 5 + SUBJECTS].map(|opened| subjects.of(opened, 2));
        assert_ne!(first, second);
        assert_eq!([5, 5 + SUBJECTS].map(|opened| subjects.of(opened, 2)), [first, second]);
        subjects.drop(5);
        assert_ne!(subjects.of(7, 2), first, "a rank still has it");
        subjects.drop(5);
        assert_eq!(subjects.of(8, 2), first, "no rank has it");
        assert_ne!(subjects.of(9, 2), 0, "0 is an exchange");
    }
}
