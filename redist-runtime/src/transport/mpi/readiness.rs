//! Whether all ranks of several programs are ready for a move: found out while messages fly.

use super::communicator::OwnCommunicator;
use super::life::is_over;
use crate::error::Error;
use redist_mpi::Request;

/// A vote of all ranks of a communicator, as often as wanted. Dropping it waits for one that is
/// under way.
#[derive(Debug)]
pub struct Readiness {
    communicator: OwnCommunicator,
    /// In a place of its own, where MPI may write.
    numbers: Box<Numbers>,
    request: Request,
}

/// 0 where a rank is ready; else the number of ranks from it on, so that the lowest that is not
/// ready has the largest.
#[derive(Debug, Default)]
struct Numbers {
    mine: [u64; 1],
    most: [u64; 1],
}

impl Readiness {
    /// Of all ranks of a communicator.
    pub fn on(communicator: OwnCommunicator) -> Self {
        let request = communicator.live().no_request();
        Self { communicator, numbers: Box::default(), request }
    }

    /// This rank's number among all that vote.
    pub fn rank(&self) -> usize {
        self.communicator.rank()
    }

    /// Begins a vote. Collective; waits for nothing but for an earlier vote that was not finished.
    ///
    /// # Errors
    /// What the library says, which ends the job.
    pub fn begin(&mut self, is_ready: bool) -> Result<(), Error> {
        self.communicator.wait(&mut self.request)?;
        let behind = self.communicator.size() - self.communicator.rank();
        let Numbers { mine, most } = &mut *self.numbers;
        *mine = [if is_ready { 0 } else { behind as u64 }];
        // SAFETY: the numbers stay in their box, wherever this value is moved, and are touched by
        // this and by `finish` alone, which first wait for the request, as dropping does.
        self.request = unsafe { self.communicator.begin_maxima(mine, most) }?;
        Ok(())
    }

    /// Whether `finish` would not wait, unless it has an error to tell.
    ///
    /// # Errors
    /// What the library says, which ends the job.
    pub fn test(&mut self) -> Result<bool, Error> {
        self.communicator.is_done(&mut self.request)
    }

    /// Waits until all ranks have begun, and says what they have come to: an error, if any is not
    /// ready, in the words of the lowest of these. Collective.
    ///
    /// # Errors
    /// A rank is not ready: this one, which says why, or another.
    pub fn finish(&mut self, mine: Result<(), Error>) -> Result<(), Error> {
        self.communicator.wait(&mut self.request)?;
        let [behind] = self.numbers.most;
        if behind == 0 {
            return mine;
        }
        let rank = self.communicator.size().saturating_sub(behind as usize);
        let reason = mine.as_ref().err().map(Error::reason).unwrap_or_default();
        let reason = self.communicator.broadcast_text(rank, &reason)?;
        mine.and(Err(Error::PeerFailed { rank, reason }))
    }
}

impl Drop for Readiness {
    fn drop(&mut self) {
        if !is_over() {
            let _ = self.communicator.wait(&mut self.request);
        }
    }
}
