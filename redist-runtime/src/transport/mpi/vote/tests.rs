//! Words of a vote, written and read.

use super::*;
use crate::plan::Side;

fn most(ballots: &[Ballot<'_>]) -> [u64; WORDS] {
    let words: Vec<_> = ballots.iter().map(Ballot::words).collect();
    std::array::from_fn(|at| words.iter().map(|words| words[at]).max().unwrap_or(0))
}

fn ballot(rank: usize, ready: &Result<(), Error>) -> Ballot<'_> {
    Ballot { rank, ready, meanwhile: Meanwhile::Waits, leaves: false, subject: Occasion::Move(3) }
}

#[test]
fn the_highest_rank_is_told_with_its_reason() {
    let side = Side::Destination;
    let (low, high) =
        (Error::ForeignArray { rank: 3, side }, Error::ForeignArray { rank: 7, side });
    let (low, high, ready) = (Err(low), Err(high.clone()), Ok(()));
    assert_eq!(read_reason(&most(&[ballot(3, &ready)])), None);
    let words = most(&[ballot(3, &low), ballot(7, &high), ballot(8, &ready)]);
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
            let words = most(&[ballot(rank, &Err(error.clone()))]);
            assert!(words.iter().all(|word| *word < 1 << 63));
            let told = read_reason(&words).map(|(rank, reason)| Error::PeerFailed { rank, reason });
            assert_eq!(told.map(|told| told.to_string()), Some(error.to_string()));
        }
    }
}

#[test]
fn an_argument_is_told_by_its_kind() {
    let wrong = Err(Error::Unavailable { what: "a move".into(), reason: "no".into() });
    let (rank, reason) = read_reason(&most(&[ballot(4, &wrong)])).unwrap();
    assert!(rank == 4 && reason.starts_with("an argument of this rank is wrong"), "{reason}");
}

/// All versions of the wire format understand it.
#[test]
fn the_ballot_for_setting_up_never_changes() {
    let (ready, no) = (Ok(()), NO_WINDOW);
    let ballot = Ballot { subject: Occasion::Setup, ..ballot(7, &ready) };
    assert_eq!(ballot.words(), [0, 0, 0, 0, 0, 0, 1, no - 1]);
    assert_eq!(ballot.packed(), [1, 0, 0, 0, 0]);
}

#[test]
fn what_is_packed_is_unpacked() {
    let length = Error::LocalLength {
        rank: 5,
        side: Side::Destination,
        expected: usize::MAX,
        found: (1 << 40) + 3,
    };
    for (ready, meanwhile, subject) in [
        (Ok(()), Meanwhile::Waits, Occasion::Setup),
        (Ok(()), Meanwhile::SendsNothing, Occasion::Move(1 << 40)),
        (Err(length), Meanwhile::Sends, Occasion::Move(0)),
        (
            Err(Error::ForeignArray { rank: 5, side: Side::Source }),
            Meanwhile::Waits,
            Occasion::Move(9),
        ),
    ] {
        for leaves in [false, true] {
            let ballot = Ballot { rank: 5, ready: &ready, meanwhile, leaves, subject };
            assert_eq!(unpacked(5, ballot.packed()), ballot.words());
            let mut counted = Maxima::default();
            counted.count(5, Some(ballot.packed()));
            counted.count(6, Some(Ballot::on(subject, 6, &Ok(())).packed()));
            assert_eq!(counted.one_leaves(), leaves);
        }
    }
    let (mut counted, ready) = (Maxima::default(), Ok(()));
    counted.count(1, None);
    counted.count(0, Some(ballot(0, &ready).packed()));
    assert!(!counted.is_about_one_thing());
    let mut vote = Vote::new();
    vote.settle(counted);
    assert!(matches!(vote.subject(0), Err(Error::RankEnded { rank: 1, .. })));
}

#[test]
fn subjects_are_compared() {
    let (ready, mut vote) = (Ok(()), Vote::new());
    let about = |subject| Ballot { subject, ..ballot(1, &ready) };
    let ended = Err(Error::RankEnded { rank: 5, how: ENDED.into(), here: 5 });
    let end = || Ballot { subject: Occasion::End, ..ballot(5, &ended) };
    let different = Err(Error::DifferentMoves { rank: 1 });
    for (ballots, found) in [
        (vec![about(Occasion::Move(7)), about(Occasion::Move(7))], Ok(())),
        (vec![about(Occasion::Move(7)), about(Occasion::Move(9))], different.clone()),
        (vec![about(Occasion::Move(0)), about(Occasion::Setup)], different),
        (
            vec![about(Occasion::Setup), end()],
            Err(Error::RankEnded { rank: 5, how: ENDED.into(), here: 1 }),
        ),
        (vec![end(), end()], Ok(())),
    ] {
        vote.words.most = most(&ballots);
        assert_eq!(vote.subject(1), found);
    }
}

#[test]
fn messages_go_if_a_rank_has_sent_some_or_all_are_ready() {
    use Meanwhile::{Sends, SendsNothing, Waits};
    let (ready, wrong) = (Ok(()), Err(Error::ForeignArray { rank: 1, side: Side::Source }));
    for (meanwhile, of_ready, of_failed) in [
        ([Waits, Waits], false, false),
        ([SendsNothing, Waits], true, false),
        ([Sends, Waits], true, true),
        ([SendsNothing, Sends], true, true),
    ] {
        for (other, expected) in [(&ready, of_ready), (&wrong, of_failed)] {
            let [own, others] = meanwhile;
            let mut vote = Vote::new();
            vote.words.most = most(&[
                Ballot { meanwhile: own, ..ballot(0, &ready) },
                Ballot { meanwhile: others, ..ballot(1, other) },
            ]);
            assert_eq!(vote.messages_go(), expected, "{meanwhile:?}, {other:?}");
        }
    }
}
