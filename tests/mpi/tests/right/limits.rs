//! Limits of a right program: by how much its memory may grow, and how long it may take.

use redist::mpi::{Communicator, Operation};
use std::fs;
use std::time::Duration;

/// Moves of a plan whose messages may lie at a receiver, or at a sender: moves that a sender may be
/// ahead by, and moves under way.
const MOVES: usize = 18;

/// Bytes by which memory may grow otherwise, once: pools of the library, buffers of connections,
/// and pages of memory that a node shares.
const ONCE: usize = 16 << 20;

/// A program may take so many times what all of its ranks take for themselves.
const TIMES: u32 = 10;

/// Figures of a rank's part.
pub struct Played {
    /// Time from the barrier before the program to the end of this rank's part.
    pub elapsed: Duration,
    /// Time of its own work: sleep, and what it writes and compares.
    pub worked: Duration,
    /// Time of its moves, if all of their ranks had come together.
    pub moved: Duration,
    /// Bytes by which this process's memory grew at most.
    pub grown: usize,
    /// Bytes by which it may grow.
    pub allowed: usize,
}

/// The growth of this process's resident memory.
pub struct Growth {
    /// Bytes at the beginning.
    before: usize,
}

impl Growth {
    /// Begins to measure; the system forgets the most that was resident before.
    pub fn begin() -> Self {
        // Without that right, pages that an earlier program used do not count.
        let _ = fs::write("/proc/self/clear_refs", "5");
        Self { before: resident("VmRSS:").max(resident("VmHWM:")) }
    }

    /// Returns the most bytes by which it has grown since.
    pub fn most(&self) -> usize {
        resident("VmHWM:").saturating_sub(self.before)
    }

    /// Returns the bytes by which it may grow, from the bytes that a rank sends and receives in a
    /// move of each plan.
    pub fn allowed(messages: usize) -> usize {
        ONCE + MOVES * messages
    }
}

/// Returns a line of the system's status of this process, in bytes.
fn resident(name: &str) -> usize {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    kib.unwrap_or(0) * 1024
}

/// Fails if this rank's memory has grown too far.
pub fn memory(played: &Played) -> Result<(), String> {
    let Played { grown, allowed, .. } = played;
    let kib = |bytes: &usize| bytes / 1024;
    match grown > allowed {
        true => {
            Err(format!("memory has grown by {} KiB, not by {} at most", kib(grown), kib(allowed)))
        }
        false => Ok(()),
    }
}

/// Returns the time of the rank that took longest, if that is too long, and the sum of all
/// ranks' own times. Collective.
pub fn time(
    played: &Played,
    world: &Communicator,
) -> Result<Option<(Duration, Duration)>, redist_mpi::Error> {
    let micros = |time: Duration| time.as_micros() as u64;
    let (mut elapsed, mut own) = ([0_u64], [0_u64]);
    world.allreduce(&[micros(played.elapsed)], &mut elapsed, Operation::Max)?;
    world.allreduce(&[micros(played.worked + played.moved)], &mut own, Operation::Sum)?;
    let [elapsed, own] = [elapsed, own].map(|[time]| Duration::from_micros(time));
    Ok((elapsed > own * TIMES).then_some((elapsed, own)))
}
