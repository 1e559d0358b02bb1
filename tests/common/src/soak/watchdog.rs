//! An end to what hangs.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Ends the process if nothing is noted for a while.
#[derive(Debug)]
pub struct Watchdog {
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    last: Mutex<(Instant, String)>,
    is_over: AtomicBool,
}

impl Watchdog {
    /// That bites after so long.
    pub fn new(limit: Duration) -> Self {
        let last = Mutex::new((Instant::now(), "the beginning".to_owned()));
        let state = Arc::new(State { last, is_over: AtomicBool::new(false) });
        let watched = Arc::clone(&state);
        thread::spawn(move || watched.watch(limit));
        Self { state }
    }

    /// Notes what is about to be done.
    pub fn note(&self, what: impl Into<String>) {
        *self.state.last.lock().unwrap_or_else(PoisonError::into_inner) =
            (Instant::now(), what.into());
    }
}

impl State {
    fn watch(&self, limit: Duration) {
        while !self.is_over.load(Ordering::Relaxed) {
            let (since, what) = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if since.elapsed() > limit {
                eprintln!("nothing has happened for {limit:?}; what was begun: {what}");
                process::abort();
            }
            thread::sleep(Duration::from_millis(200));
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::Relaxed);
    }
}
