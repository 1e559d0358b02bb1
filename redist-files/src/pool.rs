//! Threads that share work, and the memory that they have in turn.

use super::watch::Watch;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Calls `work` for all numbers below `count`, on `threads` threads with a state each, of which the
/// caller's is one. After an error it begins no number.
pub fn for_all<S: Default + Send>(
    count: usize,
    threads: usize,
    watch: &dyn Watch,
    work: impl Fn(&mut S, usize) -> Result<u64, String> + Sync,
) -> Result<Vec<S>, String> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let error = Mutex::new(None);
    let worker = || {
        let mut own = S::default();
        while !failed.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                break;
            }
            match work(&mut own, number) {
                Ok(bytes) => watch.add(bytes),
                Err(found) => {
                    failed.store(true, Ordering::Relaxed);
                    error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(found);
                }
            }
        }
        own
    };
    let states = thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(count)).map(|_| scope.spawn(worker)).collect();
        let own = catch_unwind(AssertUnwindSafe(worker));
        let others = others.into_iter().map(|thread| thread.join());
        // All are joined before an error is looked at: the scope panics for threads that are not.
        let ended: Vec<_> = std::iter::once(own).chain(others).collect();
        ended.into_iter().collect::<Result<Vec<S>, _>>()
    });
    match error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(found) => Err(found),
        None => states.map_err(|_| "a thread has panicked".into()),
    }
}

/// Buffers that the threads of one array leave to those of the next: fresh memory costs the system
/// a call for each page.
#[derive(Debug, Default)]
pub struct Buffers(Mutex<Vec<Vec<u8>>>);

impl Buffers {
    /// Keeps at most `count` buffers, of at most `most` bytes each.
    pub fn keep(&self, count: usize, most: usize) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|buffer| buffer.len() <= most);
        all.truncate(count);
    }

    /// Takes a buffer, which is empty if none is left.
    pub fn take(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    pub fn give(&self, buffer: Vec<u8>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Unwatched;

    #[test]
    fn each_number_is_worked_on_once_and_errors_end_the_work() {
        for threads in [1, 2, 5] {
            let seen: Vec<AtomicUsize> = (0..40).map(|_| AtomicUsize::new(0)).collect();
            let work = |own: &mut usize, number: usize| {
                seen[number].fetch_add(1, Ordering::Relaxed);
                *own += 1;
                Ok(1)
            };
            let states = for_all(seen.len(), threads, &Unwatched, work).expect("no error");
            assert_eq!(states.iter().sum::<usize>(), seen.len());
            assert!(seen.iter().all(|seen| seen.load(Ordering::Relaxed) == 1));
            let fails =
                |(): &mut (), number: usize| if number < 3 { Ok(0) } else { Err("no".into()) };
            assert_eq!(for_all(40, threads, &Unwatched, fails), Err("no".into()));
            let panics = |(): &mut (), _: usize| -> Result<u64, String> { panic!("as it is told") };
            let told = for_all(40, threads, &Unwatched, panics).expect_err("a panic");
            assert!(told.contains("has panicked"), "{told}");
        }
    }

    #[test]
    fn buffers_that_are_too_large_go() {
        let buffers = Buffers::default();
        for len in [7, 9, 3, 5] {
            buffers.give(vec![0; len]);
        }
        buffers.keep(2, 8);
        assert_eq!([buffers.take().len(), buffers.take().len(), buffers.take().len()], [3, 7, 0]);
    }
}
