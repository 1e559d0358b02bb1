//! Whether all ranks are ready for a move, and if not, why.

use super::communicator::{OwnCommunicator, no_request};
use crate::error::Error;
use ::mpi::ffi::MPI_Request;

/// Words of a ballot, each with four bytes of the reason: enough for the errors of a move, which name a few numbers.
const WORDS: usize = 32;

/// A vote on whether a move takes place: the highest rank that is not ready wins, with its reason. Ranks also tell whether
/// they run the move or only begin it.
///
/// The reason travels with the vote, rather than being asked for afterwards: ranks may finish several moves in different
/// orders, and would ask for different reasons at a time.
#[derive(Debug)]
pub(super) struct Vote {
    /// In a place of its own, where MPI may write.
    ballots: Box<Ballots>,
    pub request: MPI_Request,
}

#[derive(Debug)]
struct Ballots {
    mine: [u64; WORDS + 1],
    most: [u64; WORDS + 1],
}

impl Vote {
    pub fn new() -> Self {
        Self { ballots: Box::new(Ballots { mine: [0; WORDS + 1], most: [0; WORDS + 1] }), request: no_request() }
    }

    /// Begins to vote: a rank may be `ready` or not, and `runs` its move or only begins it. Collective.
    ///
    /// # Safety
    /// The request is waited for before the vote is dropped, and before it begins anew.
    pub unsafe fn begin(
        &mut self,
        communicator: &OwnCommunicator,
        ready: &Result<(), Error>,
        runs: bool,
    ) -> Result<(), Error> {
        let Ballots { mine, most } = &mut *self.ballots;
        *mine = [0; WORDS + 1];
        if let Err(error) = ready {
            mine[..WORDS].copy_from_slice(&ballot(communicator.rank(), &error.reason()));
        }
        mine[WORDS] = u64::from(!runs);
        // SAFETY: the ballots are in a box, and the caller keeps it until the request is complete.
        self.request = unsafe { communicator.begin_maxima(mine, most) }?;
        Ok(())
    }

    /// The rank that is not ready, with its reason; `None` if all are. To be asked when the request is complete.
    pub fn failed(&self) -> Option<(usize, String)> {
        read(&self.ballots.most[..WORDS])
    }

    /// Whether a rank only begins its move, and may complete it late. To be asked when the request is complete.
    pub fn somebody_begins(&self) -> bool {
        self.ballots.most[WORDS] > 0
    }
}

/// Every word begins with the rank, so that the largest words of all ballots are those of one rank.
fn ballot(rank: usize, reason: &str) -> [u64; WORDS] {
    let mut bytes = [0; 4 * WORDS];
    let shown = reason.floor_char_boundary(bytes.len());
    bytes[..shown].copy_from_slice(&reason.as_bytes()[..shown]);
    let (parts, _) = bytes.as_chunks();
    let mut words = [0; WORDS];
    for (word, part) in words.iter_mut().zip(parts) {
        // Ranks are less than 2^31, so that words are less than 2^63, which MPICH 4.0 takes for a negative number.
        *word = (rank as u64 + 1) << 32 | u64::from(u32::from_be_bytes(*part));
    }
    words
}

fn read(words: &[u64]) -> Option<(usize, String)> {
    let rank = usize::try_from(words[0] >> 32).ok()?.checked_sub(1)?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| (*word as u32).to_be_bytes()).collect();
    Some((rank, String::from_utf8_lossy(&bytes).trim_end_matches('\0').into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Side;

    fn largest(ballots: &[[u64; WORDS]]) -> [u64; WORDS] {
        std::array::from_fn(|word| ballots.iter().map(|ballot| ballot[word]).max().unwrap_or(0))
    }

    #[test]
    fn the_highest_rank_is_told_with_its_reason() {
        assert_eq!(read(&[0; WORDS]), None);
        let (low, high) = (ballot(0, "zebras, of which there are many"), ballot(7, "ants"));
        assert_eq!(read(&low), Some((0, "zebras, of which there are many".into())));
        assert_eq!(read(&largest(&[low, high, [0; WORDS]])), Some((7, "ants".into())));
    }

    #[test]
    fn the_errors_of_a_move_are_told_whole() {
        let (rank, side) = (7, Side::Destination);
        let length = Error::LocalLength { rank, side, expected: usize::MAX, found: usize::MAX };
        for error in [length, Error::ForeignArray { rank, side }, Error::DifferentArrays { rank, side }] {
            let told = read(&ballot(rank, &error.reason())).map(|(rank, reason)| Error::PeerFailed { rank, reason });
            assert_eq!(told.map(|told| told.to_string()), Some(error.to_string()));
        }
    }

    #[test]
    fn long_reasons_are_cut_between_characters() {
        let reason = "ä".repeat(1000);
        assert_eq!(read(&ballot((1 << 31) - 2, &reason)), Some(((1 << 31) - 2, "ä".repeat(2 * WORDS))));
        assert!(ballot((1 << 31) - 2, &reason)[0] < 1 << 63);
        assert_eq!(read(&ballot(3, &format!("x{reason}"))), Some((3, format!("x{}", "ä".repeat(2 * WORDS - 1)))));
    }
}
