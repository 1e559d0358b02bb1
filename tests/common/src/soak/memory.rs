//! Watches that memory does not grow.

use crate::allocations::held;
use core::fmt;
use std::fs;
use std::time::{Duration, Instant};

/// The growth allowed after the warm-up: stacks and arenas come and go.
const SLACK: u64 = 24 << 20;

/// The growth allowed in the program's own allocator: one act.
const OWN_SLACK: u64 = 2 << 20;

#[derive(Debug)]
pub struct Memory {
    /// The memory's name and function, and its allowed growth.
    what: &'static str,
    sampled: fn() -> u64,
    slack: u64,
    warm_from: Instant,
    warm: u64,
    most: u64,
    last: u64,
    samples: u64,
}

impl Memory {
    /// Makes it for a soak of this length; the first fifth warms up.
    pub fn new(length: Duration) -> Self {
        Self::of("resident", resident, SLACK, length)
    }

    /// Watches as [`new`](Memory::new) does, for the memory of
    /// [`Counting`](crate::allocations::Counting), because an MPI library's own pools never shrink.
    pub fn held(length: Duration) -> Self {
        Self::of("held", || held() as u64, OWN_SLACK, length)
    }

    fn of(what: &'static str, sampled: fn() -> u64, slack: u64, length: Duration) -> Self {
        let warm_from = Instant::now() + length / 5;
        Self { what, sampled, slack, warm_from, warm: 0, most: 0, last: 0, samples: 0 }
    }

    /// Samples, and compares.
    pub fn sample(&mut self) -> Result<(), String> {
        let now = (self.sampled)();
        (self.last, self.samples) = (now, self.samples + 1);
        if Instant::now() < self.warm_from || self.samples == 1 {
            self.warm = self.warm.max(now);
            return Ok(());
        }
        self.most = self.most.max(now);
        if self.most > self.warm + self.slack {
            Err(format!("memory grows: {self}"))
        } else {
            Ok(())
        }
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, warm, most, last, samples, .. } = self;
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let [warm, most, last] = [*warm, *most, *last].map(mib);
        write!(f, "{what} {warm:.1} MiB at most in the first fifth, {most:.1} after it, ")?;
        write!(f, "{last:.1} at last ({samples} samples)")
    }
}

fn resident() -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_is_told() {
        let mut memory = Memory::new(Duration::ZERO);
        memory.sample().unwrap();
        memory.sample().unwrap();
        let kept = vec![1u8; 3 * SLACK as usize];
        let told = memory.sample().unwrap_err();
        assert!(told.starts_with("memory grows: resident "), "{told}");
        drop(kept);
    }
}
