//! Exchanges, in which channels are opened; and ranks from their beginning to their end.

use super::super::group::{Group, Rank};
use super::super::spawn::{Failure, FirstFailure, run_one};
use super::{check, kept, play};
use crate::error::Error;
use crate::transport::sync::{Arc, lock};
use crate::transport::tests::lend;

/// Runs `body` on ranks as `threads::run` does. `loom` has no threads with a scope.
fn run(
    ranks: usize,
    body: impl Fn(&Rank) -> Result<(), Error> + 'static,
) -> Option<Failure<Error>> {
    let (group, body) = (Arc::new(Group::new(ranks)), std::rc::Rc::new(body));
    let first = std::rc::Rc::new(FirstFailure::new(None));
    let start = |rank| {
        let (group, body, first) = (Arc::clone(&group), body.clone(), first.clone());
        move || _ = run_one(rank, &group, &*body, &first)
    };
    play((0..ranks).map(start));
    lock(&first).take().map(|(failure, _)| failure)
}

fn meet_twice(rank: &Rank) -> Result<(), Error> {
    for round in 0..2 {
        let all = rank.meet((rank.rank(), round))?;
        assert!(all.iter().enumerate().all(|(other, brought)| **brought == (other, round)));
    }
    Ok(())
}

#[test]
fn all_get_what_all_have_brought() {
    check(2, || assert_eq!(run(2, meet_twice), None));
}

#[test]
fn three_ranks_meet() {
    check(1, || assert_eq!(run(3, meet_twice), None));
}

#[test]
fn none_waits_at_a_meeting_for_a_rank_that_has_ended() {
    check(2, || {
        let failure = run(2, |rank| {
            if rank.rank() == 1 {
                return Err(Error::TooFewRanks { needed: 9, size: 2 });
            }
            let told = rank.meet(0u8).unwrap_err();
            assert!(matches!(told, Error::RankEnded { rank: 1, here: 0, .. }), "{told}");
            Err(told)
        });
        assert!(matches!(failure, Some(Failure::Error { rank: 1, .. })), "{failure:?}");
    });
}

/// Opens a channel and shares a byte; rank 1 leaves it while copying, if it `gives_up`.
fn open_and_lend(rank: &Rank, gives_up: bool) -> Result<(), Error> {
    lend(rank, kept([rank.rank() as u8]), |lent| {
        assert_eq!(lent.sources, [[0], [1]]);
        if gives_up && rank.rank() == 1 {
            drop(lent);
            return Ok(());
        }
        lent.end()
    })
}

#[test]
fn a_channel_is_opened_and_used() {
    check(2, || assert_eq!(run(2, |rank| open_and_lend(rank, false)), None));
}

/// The failure is the panic, not its effects on others. To `loom`, a panic of one rank is one of
/// all. So nothing that ranks share is used while it unwinds.
#[test]
fn a_rank_that_panics_is_told_of() {
    check(2, || {
        let failure = run(2, |rank| {
            let result = open_and_lend(rank, true);
            if rank.rank() == 1 {
                std::panic::resume_unwind(Box::new("enough"));
            }
            assert!(matches!(result, Err(Error::PeerFailed { rank: 1, .. })), "{result:?}");
            result
        });
        assert_eq!(failure, Some(Failure::Panic { rank: 1, message: "enough".into() }));
    });
}
