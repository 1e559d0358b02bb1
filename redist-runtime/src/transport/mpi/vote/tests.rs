//! Words of a vote, written and read.

use super::*;
use crate::error::{Name, ShortName, WrongArgument};
use crate::plan::Side;

fn most(votes: &[[u64; WORDS]]) -> [u64; WORDS] {
    std::array::from_fn(|at| votes.iter().map(|words| words[at]).max().unwrap_or(0))
}

fn vote(rank: usize, ready: &Result<(), Error>) -> [u64; WORDS] {
    words(rank, VoteSubject::Move(CollectiveCall::new(3, 1)), ready)
}

/// The outcome for the first of some ranks.
fn outcome(votes: &[[u64; WORDS]]) -> Result<bool, Error> {
    is_common([&votes[0], &most(votes)], 0)
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
        let (expected, needed) = (usize::MAX, (1 << 40) + 3);
        let of_lengths = [false, true].map(|exchanged| {
            [
                Error::LocalLength { rank, side, expected, found: needed, exchanged },
                Error::ShortArray { rank, side, needed, found: expected - 1, exchanged },
            ]
        });
        let (foreign, gaps) = (Error::ForeignArray { rank, side }, Error::ArrayGaps { rank, side });
        for error in of_lengths.into_iter().flatten().chain([foreign, gaps]) {
            let words = most(&[vote(rank, &Err(error.clone()))]);
            assert!(words.iter().all(|word| *word < 1 << 63));
            let told = read_reason(&words).map(|(rank, reason)| Error::PeerFailed { rank, reason });
            assert_eq!(told.map(|told| told.to_string()), Some(error.to_string()));
        }
    }
    for (error, words) in misfits(5) {
        let told = read_reason(&most(&[vote(5, &Err(error))])).unwrap();
        assert_eq!(told, (5, words.to_owned()));
    }
    let wrong = Err(Error::Unavailable { what: "a move".into(), reason: "no".into() });
    let (rank, reason) = read_reason(&most(&[vote(4, &wrong)])).unwrap();
    assert!(rank == 4 && reason.starts_with("an argument of this rank is wrong"), "{reason}");
}

#[test]
fn mistakes_in_arrays_of_other_languages_are_told_whole() {
    for side in [Side::Source, Side::Destination] {
        for argument in [
            WrongArgument::Type { side, brought: Name::of("datetime64[ms]") },
            WrongArgument::NoArray { side, class: Name::of("Tensor") },
            WrongArgument::ReadOnly { side },
            WrongArgument::Masked { side },
            WrongArgument::PartStrides { side },
        ] {
            let error = Error::Argument { rank: 4, argument };
            let told = read_reason(&most(&[vote(4, &Err(error))])).unwrap();
            assert_eq!(told, (4, argument.to_string()));
        }
    }
}

/// Returns errors of arguments, and what other ranks read of each.
fn misfits(rank: usize) -> Vec<(Error, &'static str)> {
    let (side, shape, strides) = (Side::Destination, vec![3, 4], vec![4, 1]);
    let found = |found_shape: [usize; 2], found_strides: [isize; 2]| Error::ArrayShape {
        rank,
        side,
        shape: shape.clone(),
        strides: strides.clone(),
        found_shape: found_shape.to_vec(),
        found_strides: found_strides.to_vec(),
        exchanged: false,
    };
    let argument = |argument| Error::Argument { rank, argument };
    let [brought, bound] = ["[u8; 24]", "c64"].map(ShortName::of);
    vec![
        (
            found([3, 5], [5, 1]),
            "the destination array has 5 elements along dimension 1, but must have 4",
        ),
        (
            found([3, 4], [-1, 3]),
            "the destination array has the stride -1 along dimension 0, but must have 4",
        ),
        (
            argument(WrongArgument::Null { side: Side::Source, elements: 1 << 40 }),
            "the source array is NULL, but its length is 1099511627776 elements; bring the array",
        ),
        (
            argument(WrongArgument::Length { side, length: -1 }),
            "the destination array has the length -1; lengths are in elements, 0 or more",
        ),
        (
            argument(WrongArgument::Overlap),
            "the source and the destination overlap; bring arrays apart",
        ),
        (
            argument(WrongArgument::Element { brought, bound }),
            "the arrays have elements of type [u8; 24], but the plan was bound for c64; bring arrays of that type, \
             or bind the plan for [u8; 24]",
        ),
    ]
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
}
