//! Ranks of one launch that share the work on files, by the MPI library of their launcher.

use super::options::Launched;
use crate::failure::CommandFailure;
use redist_files::{Alone, Peers};
use redist_mpi::{Communicator, Environment, Message};
use std::thread::{panicking, sleep, yield_now};
use std::time::Duration;

/// Looks for a message before a rank sleeps between two of them.
const LOOKS: u32 = 200;

/// The shortest and the longest sleep between two looks for a message: ranks that wait leave their
/// processor to threads that work.
const SLEEPS: [Duration; 2] = [Duration::from_micros(20), Duration::from_millis(2)];

/// Tags of messages to rank 0, and from it.
const TAGS: [i32; 2] = [1, 2];

/// Returns the ranks that share the work: those of the launch, or this process alone, for which no
/// library is loaded.
pub fn peers(launched: Launched) -> Result<Box<dyn Peers>, CommandFailure> {
    let is_launched = match launched {
        Launched::Auto => redist_mpi::is_launched(),
        Launched::Yes => true,
        Launched::No => false,
    };
    if !is_launched {
        return Ok(Box::new(Alone));
    }
    MpiRanks::new().map(|ranks| Box::new(ranks) as Box<dyn Peers>).map_err(|error| {
        CommandFailure::Work(format!(
            "error: a launcher of MPI has started this process as one rank of several: {error}; with \
             `--mpi no` it does all the work by itself"
        ))
    })
}

/// The ranks of a launch.
struct MpiRanks {
    /// Ended before MPI is.
    communicator: Communicator,
    _environment: Environment,
}

impl MpiRanks {
    fn new() -> Result<Self, redist_mpi::Error> {
        let environment = redist_mpi::initialize()?;
        let communicator = environment.world()?.duplicate()?;
        Ok(Self { communicator, _environment: environment })
    }

    fn send(&self, words: &[u8], to: usize, tag: i32) -> Result<(), String> {
        self.communicator.send(words, to, tag).map_err(|error| error.to_string())
    }

    fn receive(&self, from: usize, tag: i32) -> Result<Vec<u8>, String> {
        let received = self.found(from, tag).and_then(|message| {
            let mut words = vec![0u8; message.status().count::<u8>()?.unwrap_or(0)];
            message.recv(&mut words)?;
            Ok(words)
        });
        received.map_err(|error| format!("rank {from}: {error}"))
    }

    /// Waits for a message.
    fn found(&self, from: usize, tag: i32) -> Result<Message<'_>, redist_mpi::Error> {
        let (mut looks, mut pause) = (0, SLEEPS[0]);
        loop {
            if let Some(message) = self.communicator.improbe(Some(from), Some(tag))? {
                return Ok(message);
            }
            looks += 1;
            match looks < LOOKS {
                true => yield_now(),
                false => {
                    sleep(pause);
                    pause = (2 * pause).min(SLEEPS[1]);
                }
            }
        }
    }
}

impl Peers for MpiRanks {
    fn rank(&self) -> usize {
        self.communicator.rank()
    }

    fn ranks(&self) -> usize {
        self.communicator.size()
    }

    fn gather(&self, words: Vec<u8>) -> Result<Vec<Vec<u8>>, String> {
        if self.rank() > 0 {
            return self.send(&words, 0, TAGS[0]).map(|()| Vec::new());
        }
        let others = (1..self.ranks()).map(|rank| self.receive(rank, TAGS[0]));
        std::iter::once(Ok(words)).chain(others).collect()
    }

    fn tell(&self, words: Vec<u8>) -> Result<Vec<u8>, String> {
        if self.rank() > 0 {
            return self.receive(0, TAGS[1]);
        }
        let told = (1..self.ranks()).map(|rank| self.send(&words, rank, TAGS[1]));
        told.fold(Ok(()), Result::and).map(|()| words.clone())
    }
}

impl Drop for MpiRanks {
    fn drop(&mut self) {
        // The other ranks would wait for this one.
        if panicking() {
            redist_mpi::abort(101);
        }
    }
}
