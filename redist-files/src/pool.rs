//! Threads that share work.

use super::watch::Watch;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Calls `work` for all numbers below `count`, on `threads` threads with a state each. After an
/// error it begins no number.
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
        let threads: Vec<_> = (0..threads.min(count)).map(|_| scope.spawn(worker)).collect();
        threads.into_iter().map(|thread| thread.join()).collect::<Result<Vec<S>, _>>()
    });
    match error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(found) => Err(found),
        None => states.map_err(|_| "a thread has panicked".into()),
    }
}
