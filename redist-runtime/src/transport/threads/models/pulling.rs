//! Ranks that read the arrays or messages of their senders, and wait for their receivers.

use super::{LENDING, Ranks, told};

/// Three ranks, each with elements for the next.
const LINE: Ranks = Ranks { ranks: 3, in_a_line: true, ..LENDING };
const PAIR: Ranks = Ranks { ranks: 2, ..LINE };

#[test]
fn arrays_are_used_by_their_owner_or_by_receivers() {
    PAIR.model(2, |member| (1..3).for_each(|round| member.pull(round, Ok(())).unwrap()));
}

#[test]
fn a_fault_ends_one_move() {
    PAIR.model(2, |member| {
        let first = told(member.pull(1, member.ready_unless(0)));
        assert_eq!(first, [("own", 0), ("failed", 0)][member.here]);
        member.pull(2, Ok(())).unwrap();
    });
}

#[test]
fn three_ranks_pull_in_a_line() {
    LINE.model(1, |member| member.pull(1, Ok(())).unwrap());
}

#[test]
fn a_fault_reaches_receivers() {
    LINE.model(1, |member| {
        let first = told(member.pull(1, member.ready_unless(1)));
        assert_eq!(first, [("ok", 0), ("own", 0), ("failed", 1)][member.here]);
    });
}

#[test]
fn a_receiver_starts_what_its_sender_runs() {
    for starter in 0..2 {
        PAIR.model(2, move |member| {
            if member.here == starter {
                member.start(0, 1).unwrap();
                member.unpack(0, 1).unwrap();
            } else {
                member.pull(1, Ok(())).unwrap();
            }
            member.pull(2, Ok(())).unwrap();
        });
    }
}

#[test]
fn a_rank_that_ends_is_missed_by_its_receiver_alone() {
    LINE.model(1, |member| {
        if member.here != 1 {
            let moved = told(member.pull(1, Ok(())));
            assert_eq!(moved, [("ok", 0), ("own", 0), ("ended", 1)][member.here]);
        }
    });
}

/// The rank in the middle makes a different call in between.
#[test]
fn another_call_is_told_to_receivers() {
    Ranks { channels: 2, ..LINE }.model(1, |member| {
        if member.here == 1 {
            member.channels.swap(0, 1);
            let moved = told(member.pull(1, Ok(())));
            assert_eq!(moved, ("different", 1));
        } else {
            let moved = told(member.pull(1, Ok(())));
            assert_eq!(moved, [("ok", 0), ("different", 2)][member.here / 2]);
        }
    });
}
