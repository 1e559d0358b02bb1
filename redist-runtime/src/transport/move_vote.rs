//! A vote that several channels share.

use crate::error::Error;

/// A repeated vote of ranks on their readiness for a move: ranks of several communicators, perhaps.
/// Dropping it waits for no rank.
pub trait MoveVote {
    /// Returns this rank's number among all that vote.
    fn rank(&self) -> usize;

    /// Begins a vote. Collective; waits only for an earlier vote that was not finished.
    fn begin(&mut self, is_ready: bool) -> Result<(), Error>;

    /// Returns `true` if `finish` would not wait, unless it has an error to return.
    fn test(&mut self) -> Result<bool, Error>;

    /// Waits until all ranks have begun. Collective.
    ///
    /// # Errors
    /// The lowest rank that is not ready: this one, with its error `mine`, or another rank.
    fn finish(&mut self, mine: Result<(), Error>) -> Result<(), Error>;
}
