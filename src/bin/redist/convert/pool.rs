//! Threads that share work, and the progress that they show.

use crate::output::bar;
use indicatif::ProgressBar;
use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Progress of the work, on standard error.
pub struct Progress {
    bar: ProgressBar,
    what: &'static str,
    /// Bytes of all work.
    all: u64,
    /// Bytes done so far.
    done: AtomicU64,
    /// `true` to write lines, because there is no terminal.
    lines: bool,
}

impl Progress {
    /// Counts up to `all` bytes; `asked` shows progress in any case.
    pub fn new(what: &'static str, all: u64, asked: bool) -> Self {
        let bar =
            bar(all, "{msg:10} [{bar:40}] {percent:>3} %, {binary_bytes_per_sec}, {eta} left");
        bar.set_message(what);
        Self { bar, what, all, done: AtomicU64::new(0), lines: asked && !stderr().is_terminal() }
    }

    pub fn add(&self, bytes: u64) {
        let before = self.done.fetch_add(bytes, Ordering::Relaxed);
        self.bar.inc(bytes);
        let tenth = |done: u64| (u128::from(done) * 10 / u128::from(self.all.max(1))) as u64;
        if self.lines && tenth(before + bytes) > tenth(before) {
            eprintln!("{}: {} %", self.what, 10 * tenth(before + bytes));
        }
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// Calls `work` for all numbers below `count`, on `threads` threads with a state each. After an
/// error it begins no number.
pub fn for_all<S: Default + Send>(
    count: usize,
    threads: usize,
    progress: &Progress,
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
                Ok(bytes) => progress.add(bytes),
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
    progress.end();
    match error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(found) => Err(found),
        None => states.map_err(|_| "a thread has panicked".into()),
    }
}
