//! Words of a vote, written and read.

use super::*;
use crate::plan::Side;

fn most(votes: &[[u64; WORDS]]) -> [u64; WORDS] {
    std::array::from_fn(|at| votes.iter().map(|words| words[at]).max().unwrap_or(0))
}

fn vote(rank: usize, ready: &Result<(), Error>) -> [u64; WORDS] {
    words(rank, VoteSubject::Move(CollectiveCall::new(3, 1)), ready)
}

/// The outcome for the first of some ranks.
fn outcome(votes: &[[u64; WORDS]]) -> Result<bool, Error> {
    is_common(&[votes[0], most(votes)], 0)
}

#[test]
fn the_highest_rank_is_told_with_its_reason() {
    let side = Side::Destination;
    let (low, high) =
        (Error::ForeignArray { rank: 3, side }, Error::ForeignArray { rank: 7, side });
    let (low, high, ready) = (Err(low), Err(high.clone()), Ok(()));
    assert_eq!(read_reason(&most(&[vote(3, &ready)])), None);
    let words = most(&[vote(3, &low), vote(7, &high), vote(8, &ready)]);
    assert_eq!(read_reason(&words), Some((7, Error::ForeignArray { rank: 7, side }.reason())));
}

#[test]
fn the_errors_of_a_move_are_told_whole() {
    for side in [Side::Source, Side::Destination] {
        let rank = (1 << 31) - 2;
        let length = Error::LocalLength { rank, side, expected: usize::MAX, found: (1 << 40) + 3 };
        let short = Error::ShortArray { rank, side, needed: (1 << 40) + 3, found: usize::MAX - 1 };
        let (foreign, gaps) = (Error::ForeignArray { rank, side }, Error::ArrayGaps { rank, side });
        for error in [length, short, foreign, gaps] {
            let words = most(&[vote(rank, &Err(error.clone()))]);
            assert!(words.iter().all(|word| *word < 1 << 63));
            let told = read_reason(&words).map(|(rank, reason)| Error::PeerFailed { rank, reason });
            assert_eq!(told.map(|told| told.to_string()), Some(error.to_string()));
        }
    }
    let wrong = Err(Error::Unavailable { what: "a move".into(), reason: "no".into() });
    let (rank, reason) = read_reason(&most(&[vote(4, &wrong)])).unwrap();
    assert!(rank == 4 && reason.starts_with("an argument of this rank is wrong"), "{reason}");
}

/// All versions of the wire format understand it.
#[test]
fn the_first_vote_never_changes() {
    let no = NO_SUBJECT;
    assert_eq!(words(7, VoteSubject::Setup(0), &Ok(())), [0, 0, 0, 0, 0, 0, 1, no - 1]);
}

#[test]
fn ranks_that_vote_on_different_calls_learn_so() {
    let call = |number, opened| VoteSubject::Move(CollectiveCall::new(number, opened));
    let of = |subject| words(0, subject, &Ok(()));
    let [earlier, this, setup] = [call(3, 9), call(4, 2), VoteSubject::Setup(4)].map(of);
    assert_eq!(outcome(&[this, this]), Ok(true));
    let different = Err(Error::DifferentMoves { rank: 0 });
    for other in [setup, of(call(4, 3)), of(call(5, 2))] {
        assert_eq!(outcome(&[this, other]), different);
    }
    assert_eq!(outcome(&[this, earlier, this]), Ok(false));
    assert_eq!(outcome(&[earlier, this, this]), different);
    let ended = Err(Error::RankEnded { rank: 1, how: String::new(), here: 1 });
    let ended = words(1, VoteSubject::End, &ended);
    let told = Error::RankEnded { rank: 1, how: ENDED.into(), here: 0 };
    assert_eq!(outcome(&[this, ended]), Err(told));
}
