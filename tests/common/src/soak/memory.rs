//! What the process holds.

use core::fmt;
use std::fs;
use std::time::{Duration, Instant};

/// Bytes that a process may hold beyond what it held when it was warm: threads' stacks and the
/// allocator's arenas come and go.
const SLACK: u64 = 24 << 20;

/// The memory of this process, sampled.
#[derive(Debug)]
pub struct Memory {
    warm_from: Instant,
    /// The most in the warm-up, and after it.
    warm: u64,
    most: u64,
    last: u64,
    samples: u64,
}

impl Memory {
    /// For a soak of some length, of which the first fifth warms up.
    pub fn new(length: Duration) -> Self {
        Self { warm_from: Instant::now() + length / 5, warm: 0, most: 0, last: 0, samples: 0 }
    }

    /// Samples, and compares.
    ///
    /// # Errors
    /// In words, if the process holds more than it should.
    pub fn sample(&mut self) -> Result<(), String> {
        let resident = resident();
        (self.last, self.samples) = (resident, self.samples + 1);
        if Instant::now() < self.warm_from || self.samples == 1 {
            self.warm = self.warm.max(resident);
            return Ok(());
        }
        self.most = self.most.max(resident);
        if self.most > self.warm + SLACK { Err(format!("memory grows: {self}")) } else { Ok(()) }
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { warm, most, last, samples, .. } = self;
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let [warm, most, last] = [*warm, *most, *last].map(mib);
        write!(f, "resident {warm:.1} MiB at most in the first fifth, {most:.1} after it, ")?;
        write!(f, "{last:.1} at last ({samples} samples)")
    }
}

/// Bytes of this process that are in memory.
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
