//! The lines that a run prints, in the format of Rust's own harness.

use crate::cell::Cell;
use crate::implementation::Implementation;
use crate::play::Result;
use std::env;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const SLOW: Duration = Duration::from_secs(1);

pub(crate) struct Report {
    begun: Instant,
    most_failures: usize,
    tally: Mutex<Tally>,
}

#[derive(Default)]
struct Tally {
    passed: usize,
    ranks: usize,
    failed: Vec<(String, String)>,
}

impl Report {
    /// Makes a report that stops at 20 failures, or at `REDIST_MPI_MOST_FAILURES`.
    pub fn new() -> Self {
        let asked = env::var("REDIST_MPI_MOST_FAILURES").ok().and_then(|text| text.parse().ok());
        Self { begun: Instant::now(), most_failures: asked.unwrap_or(20), tally: Mutex::default() }
    }

    /// Prints a result; returns `false` if there are too many failures to go on.
    pub fn say(&self, cell: &Cell, result: Result, took: Duration) -> bool {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        let slow =
            if took > SLOW { format!(" ({:.1} s)", took.as_secs_f64()) } else { String::new() };
        println!("test {cell} ... {}{slow}", if result.is_ok() { "ok" } else { "FAILED" });
        tally.ranks += cell.ranks();
        match result {
            Ok(()) => tally.passed += 1,
            Err(report) => tally.failed.push((cell.to_string(), report)),
        }
        tally.failed.len() < self.most_failures
    }

    pub fn goes_on(&self) -> bool {
        let tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.failed.len() < self.most_failures
    }

    pub fn played(&self) -> usize {
        let tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.passed + tally.failed.len()
    }

    pub fn end(&self, ignored: usize, filtered: usize) -> bool {
        let tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        let is_good = tally.failed.is_empty();
        if !is_good {
            println!("\nfailures:\n");
            tally.failed.iter().for_each(|(name, text)| println!("---- {name} ----\n{text}\n"));
            println!("failures:");
            tally.failed.iter().for_each(|(name, _)| println!("    {name}"));
        }
        if tally.failed.len() >= self.most_failures {
            println!("\nstopped at {} failures", tally.failed.len());
        }
        println!(
            "\ntest result: {}. {} passed; {} failed; {ignored} ignored; 0 measured; {filtered} \
             filtered out; finished in {:.2}s\n",
            if is_good { "ok" } else { "FAILED" },
            tally.passed,
            tally.failed.len(),
            self.begun.elapsed().as_secs_f64(),
        );
        println!("{} rank-trials over {}", tally.ranks, Implementation::asked_for());
        is_good
    }
}
