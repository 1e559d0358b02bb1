//! What all ranks find out of each other in a move: whether all are ready, and what they can do
//! together.

#[cfg(test)]
mod tests;

use super::communicator::OwnCommunicator;
use super::parcels::Parcel;
use super::window::NO_WINDOW;
use crate::error::Error;
use crate::plan::Side;
use crate::transport::ballots::{self, Tally};
use crate::transport::wire::report::VOTE_WORDS;
use redist_mpi::Request;

/// Words for why a rank is not ready: what sort of error, and two numbers of 64 bits.
const REASON_WORDS: usize = 5;

/// Where the words are of shared arrays and of the move, each as most and least.
const ARRAYS_AT: usize = REASON_WORDS + 1;
const MOVE_AT: usize = ARRAYS_AT + 4;

/// Words of a ballot: the reason, what this rank does meanwhile, its shared arrays, and what it is
/// about.
const WORDS: usize = MOVE_AT + 2;

const _: () = assert!(WORDS == VOTE_WORDS, "reports of a node have as many");

/// What a rank did that does not vote any more.
const ENDED: &str = "finalised MPI";

/// What ranks vote on; all have to vote on the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occasion {
    /// No vote comes after: this rank finalises MPI.
    End,
    /// Whether all ranks set something up: a plan, or a shared array.
    Setup,
    /// Whether all have copied what they could copy from each other's arrays.
    Parting,
    /// A move of the channel of this number.
    Move(u64),
}

impl Occasion {
    /// Less than 2^62.
    fn number(self) -> u64 {
        match self {
            Occasion::End => 0,
            Occasion::Setup => 1,
            Occasion::Parting => 2,
            Occasion::Move(channel) => 3 + channel,
        }
    }
}

/// What a rank does before it knows the outcome. The most of all ranks' counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Meanwhile {
    /// It waits, and there is all that others read once they have seen its vote, if anything.
    Waits,
    /// It waits, and packs into its slots later.
    WaitsToPack,
    /// It sends messages without waiting.
    Sends,
    /// It may be elsewhere before the vote is over: it only begins the move, or ends.
    Leaves,
}

/// What a rank brings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ballot<'a> {
    pub rank: usize,
    pub ready: &'a Result<(), Error>,
    pub meanwhile: Meanwhile,
    /// The numbers of its source and destination array, where these are shared.
    pub arrays: [Option<u64>; 2],
    pub subject: Occasion,
}

/// A vote on whether a move takes place, and how: the highest rank that is not ready wins, with its
/// reason.
///
/// The reason travels with the vote, rather than being asked for afterwards: ranks may finish
/// several moves in different orders, and would ask for different reasons at a time.
#[derive(Debug)]
pub(super) struct Vote {
    /// In a place of its own, where MPI may write.
    words: Box<Words>,
    pub pending: Pending,
    /// What came with the reports of other nodes, by node, where messages are joined.
    pub parcels: Vec<Vec<Parcel>>,
}

/// Where a vote is under way.
#[derive(Debug)]
pub(super) enum Pending {
    Nothing,
    Library(Request),
    /// In memory that the ranks share, by its number there.
    Memory(u64),
}

#[derive(Debug)]
struct Words {
    mine: [u64; WORDS],
    most: [u64; WORDS],
}

/// The largest of each word of all ballots.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Maxima([u64; WORDS]);

impl Tally for Maxima {
    fn count(&mut self, rank: usize, ballot: Option<[u64; ballots::WORDS]>) {
        let words = match ballot {
            Some(words) => unpacked(rank, words),
            None => ended(rank).words(),
        };
        self.include(&Self(words));
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

    /// Notes what came of it.
    pub fn settle(&mut self, Maxima(most): Maxima) {
        self.words.most = most;
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
        // request before it calls this again or drops the vote, and asks for the outcome, as those
        // functions say, when the request is complete.
        self.pending = Pending::Library(unsafe { communicator.begin_maxima(mine, most) }?);
        Ok(())
    }

    /// The rank that is not ready, with its reason; `None` if all are. To be asked when the request
    /// is complete.
    pub fn failed(&self) -> Option<(usize, String)> {
        read_reason(&self.words.most)
    }

    /// Whether a rank sends messages without waiting for the outcome. To be asked when the request
    /// is complete.
    pub fn one_sends(&self) -> bool {
        self.words.most[REASON_WORDS] >= Meanwhile::Sends as u64
    }

    /// Whether all ranks had packed what others find in their slots. To be asked when a vote in
    /// memory is over.
    pub fn all_have_packed(&self) -> bool {
        self.words.most[REASON_WORDS] == Meanwhile::Waits as u64
    }

    /// The least and the most of the numbers of all ranks' arrays on one side; the least is 0 where
    /// some are not shared.
    pub fn arrays(&self, side: Side) -> (u64, u64) {
        let at = ARRAYS_AT + 2 * side as usize;
        (NO_WINDOW - self.words.most[at + 1], self.words.most[at])
    }

    /// Whether all ranks have voted on the same. To be asked when the request is complete.
    ///
    /// # Errors
    /// What the others of rank `here` have to know, the same on all ranks.
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
    /// Whether all ranks have voted on the same.
    pub fn is_about_one_thing(&self) -> bool {
        self.0[MOVE_AT] == NO_WINDOW - self.0[MOVE_AT + 1]
    }

    /// Whether all are ready for one thing.
    pub fn is_for_it(&self) -> bool {
        self.0[0] == 0 && self.is_about_one_thing()
    }

    /// Whether a rank may be elsewhere before the vote is over.
    pub fn one_leaves(&self) -> bool {
        self.0[REASON_WORDS] >= Meanwhile::Leaves as u64
    }

    /// Whether all ranks have ended.
    pub fn all_have_ended(&self) -> bool {
        self.is_about_one_thing() && self.0[MOVE_AT] == Occasion::End.number()
    }

    /// As another node is told of it.
    pub fn words(&self) -> [u64; VOTE_WORDS] {
        self.0
    }

    /// What another node has told: numbers that no rank brings are cut to such that some do.
    pub fn told(mut words: [u64; VOTE_WORDS]) -> Self {
        words[ARRAYS_AT..].iter_mut().for_each(|word| *word = NO_WINDOW.min(*word));
        Self(words)
    }

    /// Counts what others have counted.
    pub fn include(&mut self, Self(others): &Self) {
        self.0.iter_mut().zip(others).for_each(|(most, word)| *most = (*most).max(*word));
    }
}

/// What a rank brings that has ended.
fn ended(rank: usize) -> Ballot<'static> {
    const HAS_ENDED: &Result<(), Error> =
        &Err(Error::RankEnded { rank: 0, how: String::new(), here: 0 });
    Ballot { meanwhile: Meanwhile::Leaves, ..Ballot::on(Occasion::End, rank, HAS_ENDED) }
}

impl<'a> Ballot<'a> {
    /// Of a rank that waits for the others, and brings no arrays.
    pub fn on(subject: Occasion, rank: usize, ready: &'a Result<(), Error>) -> Self {
        Self { rank, ready, meanwhile: Meanwhile::Waits, arrays: [None; 2], subject }
    }

    /// For a line of memory: numbers that are not doubled.
    pub fn packed(&self) -> [u64; ballots::WORDS] {
        let (flags, parts) = match self.ready {
            Ok(()) => (0, [0; REASON_WORDS]),
            Err(error) => (1, reason(error)),
        };
        let [source, destination] = self.arrays.map(|array| array.unwrap_or(0));
        let [a, b, c, d, e] = parts.map(u64::from);
        let flags = flags | (self.meanwhile as u64) << 1;
        [self.subject.number(), source, destination, flags, a << 32 | b, c << 32 | d, e]
    }

    fn words(&self) -> [u64; WORDS] {
        let mut words = [0; WORDS];
        if let Err(error) = self.ready {
            blame(&mut words, self.rank, reason(error));
        }
        words[REASON_WORDS] = self.meanwhile as u64;
        // No array has the number 0.
        let arrays = self.arrays.map(|array| array.unwrap_or(0));
        both_ways(&mut words, arrays, self.subject.number());
        words
    }
}

/// The words of a ballot that was packed.
fn unpacked(rank: usize, packed: [u64; ballots::WORDS]) -> [u64; WORDS] {
    let [subject, source, destination, flags, ab, cd, e] = packed;
    let mut words = [0; WORDS];
    if flags & 1 != 0 {
        let parts = [ab >> 32, ab, cd >> 32, cd, e];
        blame(&mut words, rank, parts.map(|part| part as u32));
    }
    words[REASON_WORDS] = (flags >> 1).min(Meanwhile::Leaves as u64);
    // What is more than any array's number is none that this library has written.
    let bounded = |number: u64| number.min(NO_WINDOW);
    both_ways(&mut words, [source, destination].map(bounded), bounded(subject));
    words
}

/// Every word begins with the rank, so that the largest words of all ballots are those of one rank.
/// Ranks are less than 2^31, so that words are less than 2^63.
fn blame(words: &mut [u64; WORDS], rank: usize, parts: [u32; REASON_WORDS]) {
    for (word, part) in words.iter_mut().zip(parts) {
        *word = (rank as u64 + 1) << 32 | u64::from(part);
    }
}

/// Numbers of which the most and the least are asked for.
fn both_ways(words: &mut [u64; WORDS], arrays: [u64; 2], subject: u64) {
    for (side, number) in arrays.into_iter().enumerate() {
        words[ARRAYS_AT + 2 * side] = number;
        words[ARRAYS_AT + 1 + 2 * side] = NO_WINDOW - number;
    }
    words[MOVE_AT] = subject;
    words[MOVE_AT + 1] = NO_WINDOW - subject;
}

/// The errors of a move in numbers.
fn reason(error: &Error) -> [u32; REASON_WORDS] {
    let halves = |number: usize| [(number as u64 >> 32) as u32, number as u32];
    match error {
        Error::LocalLength { side, expected, found, .. } => {
            let ([a, b], [c, d]) = (halves(*expected), halves(*found));
            [1 + *side as u32, a, b, c, d]
        }
        Error::ForeignArray { side, .. } => [3 + *side as u32, 0, 0, 0, 0],
        Error::RankEnded { .. } => [5, 0, 0, 0, 0],
        Error::ShortArray { side, needed, found, .. } => {
            let ([a, b], [c, d]) = (halves(*needed), halves(*found));
            [6 + *side as u32, a, b, c, d]
        }
        Error::ArrayGaps { side, .. } => [8 + *side as u32, 0, 0, 0, 0],
        Error::ArrayShape { side, .. } => [10 + *side as u32, 0, 0, 0, 0],
        Error::Batch { .. } => [12, 0, 0, 0, 0],
        _ => [0; REASON_WORDS],
    }
}

fn read_reason(words: &[u64]) -> Option<(usize, String)> {
    let rank = usize::try_from(words[0] >> 32).ok()?.checked_sub(1)?;
    let number = |at: usize| {
        ((words[at] & u64::from(u32::MAX)) << 32 | words[at + 1] & u64::from(u32::MAX)) as usize
    };
    let side = |odd: u32| if odd == 0 { Side::Source } else { Side::Destination };
    let reason = match words[0] as u32 {
        kind @ 1..=2 => {
            Error::LocalLength { rank, side: side(kind - 1), expected: number(1), found: number(3) }
                .reason()
        }
        kind @ 3..=4 => Error::ForeignArray { rank, side: side(kind - 3) }.reason(),
        5 => ENDED.into(),
        kind @ 6..=7 => {
            Error::ShortArray { rank, side: side(kind - 6), needed: number(1), found: number(3) }
                .reason()
        }
        kind @ 8..=9 => Error::ArrayGaps { rank, side: side(kind - 8) }.reason(),
        // What has no room in a vote is told by the rank itself.
        kind @ 10..=11 => {
            let side = side(kind - 10);
            format!(
                "the {side} has another shape or other strides than it must have; this rank returns which"
            )
        }
        12 => {
            "arrays of a batch are not those that its plans are for; this rank returns which".into()
        }
        _ => "an error that this rank itself returns".into(),
    };
    Some((rank, reason))
}
