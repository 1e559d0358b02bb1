//! The agreement of all ranks in a move: on their readiness, and on a way that all can take.

#[cfg(test)]
mod tests;

use super::communicator::OwnCommunicator;
use super::parcels::Parcel;
use super::reason::{ENDED, REASON_WORDS, blame, read_reason, reason};
use super::window::NO_WINDOW;
use crate::error::Error;
use crate::transport::ballots::{self, Tally};
use crate::transport::wire::report::VOTE_WORDS;
use redist_mpi::Request;

/// First word of the move, as most and least.
const MOVE_AT: usize = REASON_WORDS + 1;

/// Words of a ballot: the reason, this rank's activity, and the subject.
const WORDS: usize = MOVE_AT + 2;

const _: () = assert!(WORDS == VOTE_WORDS, "reports of a node have as many");

/// Place of a packed ballot's flags, above which [`Meanwhile`] stands.
const FLAGS_AT: usize = 1;
const FAILED: u64 = 1;
const LEAVES: u64 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occasion {
    /// This rank finalises MPI, and votes no more.
    End,
    Setup,
    Move(u64),
}

impl Occasion {
    /// Returns a number less than 2^62.
    fn number(self) -> u64 {
        match self {
            Occasion::End => 0,
            Occasion::Setup => 1,
            Occasion::Move(channel) => 3 + channel,
        }
    }
}

/// A rank's activity before it knows the outcome. The largest of all ranks counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Meanwhile {
    /// It waits, and all bytes for others are visible with its vote.
    Waits,
    /// It takes part by messages, of which it has none.
    SendsNothing,
    Sends,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Ballot<'a> {
    pub rank: usize,
    pub ready: &'a Result<(), Error>,
    pub meanwhile: Meanwhile,
    /// It may be in other code before the vote is over: it only begins the move, or ends.
    pub leaves: bool,
    pub subject: Occasion,
}

/// A vote on a move and its way: the highest rank that is not ready wins. Its reason travels with
/// the vote: asking afterwards would fail, because ranks may finish moves in different orders.
#[derive(Debug)]
pub(super) struct Vote {
    /// Boxed, because MPI writes to it.
    words: Box<Words>,
    pub pending: Pending,
    /// Messages of other nodes' reports, by node, if messages are joined.
    pub parcels: Vec<Vec<Parcel>>,
}

#[derive(Debug)]
pub(super) enum Pending {
    Nothing,
    Library(Request),
    Memory(u64),
}

#[derive(Debug)]
struct Words {
    mine: [u64; WORDS],
    most: [u64; WORDS],
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Maxima {
    words: [u64; WORDS],
    /// A counted rank [leaves](Ballot::leaves). Other nodes need not know.
    one_leaves: bool,
}

impl Tally for Maxima {
    fn count(&mut self, rank: usize, ballot: Option<[u64; ballots::WORDS]>) {
        let ballot = ballot.unwrap_or_else(|| ended(rank).packed());
        self.one_leaves |= ballot[FLAGS_AT] & LEAVES != 0;
        self.include(&Self { words: unpacked(rank, ballot), one_leaves: false });
    }
}

impl Vote {
    pub fn new() -> Self {
        Self {
            words: Box::new(Words { mine: [0; WORDS], most: [0; WORDS] }),
            pending: Pending::Nothing,
            parcels: Vec::new(),
        }
    }

    pub fn settle(&mut self, tally: Maxima) {
        self.words.most = tally.words;
        self.pending = Pending::Nothing;
    }

    /// Begins to vote by the library. Collective.
    ///
    /// # Safety
    /// The request is waited for before the vote is dropped, and before it begins anew.
    pub unsafe fn begin(
        &mut self,
        communicator: &OwnCommunicator,
        ballot: Ballot<'_>,
    ) -> Result<(), Error> {
        let Words { mine, most } = &mut *self.words;
        *mine = ballot.words();
        // SAFETY: the words stay in their box, wherever the vote is moved. The caller waits for the
        // request before it calls this again, drops the vote, or asks for the outcome.
        self.pending = Pending::Library(unsafe { communicator.begin_maxima(mine, most) }?);
        Ok(())
    }

    /// Returns the unready rank, with its reason. To be asked when the request is complete.
    pub fn failed(&self) -> Option<(usize, String)> {
        read_reason(&self.words.most)
    }

    /// Returns `true` if ranks exchange messages: some have sent theirs without waiting, or take
    /// part by messages alone and all are ready. To be asked when the request is complete.
    pub fn messages_go(&self) -> bool {
        let most = self.words.most[REASON_WORDS];
        let least =
            if self.failed().is_some() { Meanwhile::Sends } else { Meanwhile::SendsNothing };
        most >= least as u64
    }

    /// Checks that all ranks voted on the same subject, once the request is complete; else returns
    /// the error for rank `here`, the same on all ranks.
    pub fn subject(&self, here: usize) -> Result<(), Error> {
        let (most, least) = (self.words.most[MOVE_AT], NO_WINDOW - self.words.most[MOVE_AT + 1]);
        if most == least {
            return Ok(());
        }
        match self.failed() {
            Some((rank, how)) if least == Occasion::End.number() && how == ENDED => {
                Err(Error::RankEnded { rank, how, here })
            }
            _ => Err(Error::DifferentMoves { rank: here }),
        }
    }
}

impl Maxima {
    pub fn is_about_one_thing(&self) -> bool {
        self.words[MOVE_AT] == NO_WINDOW - self.words[MOVE_AT + 1]
    }

    pub fn is_for_it(&self) -> bool {
        self.words[0] == 0 && self.is_about_one_thing()
    }

    pub fn one_leaves(&self) -> bool {
        self.one_leaves
    }

    pub fn all_have_ended(&self) -> bool {
        self.is_about_one_thing() && self.words[MOVE_AT] == Occasion::End.number()
    }

    pub fn words(&self) -> [u64; VOTE_WORDS] {
        self.words
    }

    /// Reads another node's words, and bounds each by the largest number that a rank may send.
    pub fn told(mut words: [u64; VOTE_WORDS]) -> Self {
        words[MOVE_AT..].iter_mut().for_each(|word| *word = NO_WINDOW.min(*word));
        Self { words, one_leaves: false }
    }

    pub fn include(&mut self, others: &Self) {
        self.words.iter_mut().zip(others.words).for_each(|(most, word)| *most = (*most).max(word));
    }
}

fn ended(rank: usize) -> Ballot<'static> {
    const HAS_ENDED: &Result<(), Error> =
        &Err(Error::RankEnded { rank: 0, how: String::new(), here: 0 });
    Ballot::of_the_end(rank, HAS_ENDED)
}

impl<'a> Ballot<'a> {
    pub fn on(subject: Occasion, rank: usize, ready: &'a Result<(), Error>) -> Self {
        Self { rank, ready, meanwhile: Meanwhile::Waits, leaves: false, subject }
    }

    pub fn of_the_end(rank: usize, ready: &'a Result<(), Error>) -> Self {
        Self { meanwhile: Meanwhile::Sends, leaves: true, ..Self::on(Occasion::End, rank, ready) }
    }

    /// Packs the ballot for a line of memory, without doubled numbers.
    pub fn packed(&self) -> [u64; ballots::WORDS] {
        let (flags, parts) = match self.ready {
            Ok(()) => (0, [0; REASON_WORDS]),
            Err(error) => (FAILED, reason(error)),
        };
        let [a, b, c, d, e] = parts.map(u64::from);
        let leaves = u64::from(self.leaves) * LEAVES;
        let flags = flags | leaves | (self.meanwhile as u64) << 2;
        [self.subject.number(), flags, a << 32 | b, c << 32 | d, e]
    }

    fn words(&self) -> [u64; WORDS] {
        let mut words = [0; WORDS];
        if let Err(error) = self.ready {
            blame(&mut words[..], self.rank, reason(error));
        }
        words[REASON_WORDS] = self.meanwhile as u64;
        both_ways(&mut words, self.subject.number());
        words
    }
}

fn unpacked(rank: usize, packed: [u64; ballots::WORDS]) -> [u64; WORDS] {
    let [subject, flags, ab, cd, e] = packed;
    let mut words = [0; WORDS];
    if flags & FAILED != 0 {
        let parts = [ab >> 32, ab, cd >> 32, cd, e];
        blame(&mut words[..], rank, parts.map(|part| part as u32));
    }
    words[REASON_WORDS] = (flags >> 2).min(Meanwhile::Sends as u64);
    // Numbers above any array's are none that this library has written.
    let bounded = |number: u64| number.min(NO_WINDOW);
    both_ways(&mut words, bounded(subject));
    words
}

fn both_ways(words: &mut [u64; WORDS], subject: u64) {
    words[MOVE_AT] = subject;
    words[MOVE_AT + 1] = NO_WINDOW - subject;
}
