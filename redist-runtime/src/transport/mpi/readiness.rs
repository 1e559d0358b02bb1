//! Agreement on the readiness of several programs for a move, found while messages are under way.

use super::communicator::OwnCommunicator;
use super::life::is_over;
use crate::error::Error;
use redist_mpi::Request;

/// A repeated vote of all ranks of a communicator. Dropping it waits for a vote that is under way.
/// An error of the MPI library ends the job.
#[derive(Debug)]
pub struct Readiness {
    communicator: OwnCommunicator,
    /// Boxed, because MPI writes to it.
    numbers: Box<Numbers>,
    request: Request,
}

/// 0 for a ready rank; else the number of ranks from it on, largest for the lowest such rank.
#[derive(Debug, Default)]
struct Numbers {
    mine: [u64; 1],
    most: [u64; 1],
}

impl Readiness {
    /// Makes a vote of all ranks of a communicator.
    pub fn on(communicator: OwnCommunicator) -> Self {
        let request = communicator.live().no_request();
        Self { communicator, numbers: Box::default(), request }
    }

    /// Returns this rank's number among all that vote.
    pub fn rank(&self) -> usize {
        self.communicator.rank()
    }

    /// Begins a vote. Collective; waits only for an earlier vote that was not finished.
    pub fn begin(&mut self, is_ready: bool) -> Result<(), Error> {
        self.communicator.wait(&mut self.request)?;
        let behind = self.communicator.size() - self.communicator.rank();
        let Numbers { mine, most } = &mut *self.numbers;
        *mine = [if is_ready { 0 } else { behind as u64 }];
        // SAFETY: the numbers stay in their box, wherever this value is moved. Only this function
        // and `finish` touch them, which first wait for the request, as dropping does.
        self.request = unsafe { self.communicator.begin_maxima(mine, most) }?;
        Ok(())
    }

    /// Returns `true` if `finish` would not wait, unless it has an error to return.
    pub fn test(&mut self) -> Result<bool, Error> {
        self.communicator.is_done(&mut self.request)
    }

    /// Waits until all ranks have begun. Collective.
    ///
    /// # Errors
    /// The lowest rank that is not ready: this one, with its error `mine`, or another.
    pub fn finish(&mut self, mine: Result<(), Error>) -> Result<(), Error> {
        self.communicator.wait(&mut self.request)?;
        let [behind] = self.numbers.most;
        if behind == 0 {
            return mine;
        }
        let rank = self.communicator.size().saturating_sub(behind as usize);
        Err(self.communicator.failure_of(rank, mine.as_ref().err())?)
    }
}

impl Drop for Readiness {
    fn drop(&mut self) {
        if !is_over() {
            let _ = self.communicator.wait(&mut self.request);
        }
    }
}
