//! Progress of a conversion, on standard error.

use crate::output::bar;
use indicatif::ProgressBar;
use redist_files::Watch;
use std::collections::HashSet;
use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Shows a bar on a terminal, and lines elsewhere if these are asked for.
pub struct Progress {
    /// `true` to write lines, because there is no terminal.
    lines: bool,
    stage: Mutex<Option<Stage>>,
    /// Bytes done in the stage.
    done: AtomicU64,
    /// Warnings that were told.
    told: Mutex<HashSet<String>>,
}

/// A stage of the work.
struct Stage {
    bar: ProgressBar,
    what: &'static str,
    /// Bytes of all its work.
    all: u64,
}

impl Progress {
    /// `asked` shows progress in any case.
    pub fn new(asked: bool) -> Self {
        let lines = asked && !stderr().is_terminal();
        Self { lines, stage: Mutex::new(None), done: AtomicU64::new(0), told: Mutex::default() }
    }
}

impl Watch for Progress {
    fn begin(&self, what: &'static str, all: u64) {
        let bar =
            bar(all, "{msg:10} [{bar:40}] {percent:>3} %, {binary_bytes_per_sec}, {eta} left");
        bar.set_message(what);
        self.done.store(0, Ordering::Relaxed);
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = Some(Stage { bar, what, all });
    }

    fn add(&self, bytes: u64) {
        let before = self.done.fetch_add(bytes, Ordering::Relaxed);
        let stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Stage { bar, what, all }) = stage.as_ref() else { return };
        bar.inc(bytes);
        let tenth = |done: u64| (u128::from(done) * 10 / u128::from(*all).max(1)).min(10) as u64;
        if self.lines && tenth(before + bytes) > tenth(before) {
            eprintln!("{what}: {} %", 10 * tenth(before + bytes));
        }
    }

    fn end(&self) {
        let stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner).take();
        stage.into_iter().for_each(|stage| stage.bar.finish_and_clear());
    }

    fn warn(&self, words: &str) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.insert(words.into()) {
            eprintln!("warning: {words}");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}
