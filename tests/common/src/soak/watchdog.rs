//! Ends a soak that hangs.

use std::io::{self, Write};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

const SLEEP: Duration = Duration::from_millis(200);

/// Ends the process if it notes nothing for a while. Counts its own sleeps, because a stopped
/// process sleeps none.
#[derive(Debug)]
pub struct Watchdog {
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    last: Mutex<(Duration, String)>,
    is_over: AtomicBool,
}

impl Watchdog {
    pub fn new(limit: Duration) -> Self {
        let last = Mutex::new((Duration::ZERO, "the beginning".to_owned()));
        let state = Arc::new(State { last, is_over: AtomicBool::new(false) });
        let watched = Arc::clone(&state);
        thread::spawn(move || watched.watch(limit));
        Self { state }
    }

    pub fn note(&self, what: impl Into<String>) {
        *self.state.last.lock().unwrap_or_else(PoisonError::into_inner) =
            (Duration::ZERO, what.into());
    }
}

impl State {
    fn watch(&self, limit: Duration) {
        while !self.is_over.load(Ordering::Relaxed) {
            thread::sleep(SLEEP);
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            last.0 += SLEEP;
            let (idle, what) = &*last;
            if *idle > limit {
                // Written to the stream itself, because an aborted test loses its output.
                let _ = writeln!(
                    io::stderr(),
                    "nothing has happened for {limit:?}; what was begun: {what}"
                );
                process::abort();
            }
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::Relaxed);
    }
}
