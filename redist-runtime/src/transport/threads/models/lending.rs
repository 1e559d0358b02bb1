//! Ranks that share their arrays, that end while others wait, or that make different calls.

use super::{LENDING, PACKING, Rank, Ranks, told};
use crate::error::Error;
use crate::transport::sync::Arc;

#[test]
fn arrays_are_used_by_one_side_at_a_time() {
    LENDING.model(2, |member| (1..3).for_each(|round| member.whole(0, round).unwrap()));
}

#[test]
fn three_ranks_lend() {
    Ranks { ranks: 3, ..LENDING }.model(1, |member| member.whole(0, 1).unwrap());
}

/// The shared arrays are dropped before this rank has copied, as in a panic.
#[test]
fn a_panic_amid_copying_is_told_and_ends_the_move() {
    LENDING.model(2, |member| {
        if member.here == 1 {
            let dropped = member.lend(0, 1, Ok(()), |lent| {
                drop(lent);
                Ok(())
            });
            assert_eq!(told(dropped), ("ok", 0));
        } else {
            assert_eq!(told(member.whole(0, 1)), ("failed", 1));
        }
        member.whole(0, 2).unwrap();
    });
}

#[test]
fn nothing_is_lent_where_a_rank_is_not_ready() {
    LENDING.model(2, |member| {
        let first = member.lend(0, 1, member.ready_unless(1), |_| panic!("nothing is lent"));
        assert_eq!(told(first), [("failed", 1), ("own", 0)][member.here]);
        member.whole(0, 2).unwrap();
    });
}

#[test]
fn a_rank_that_ends_early_is_told_of_again_and_again() {
    LENDING.model(2, |member| {
        if member.here == 0 {
            (0..2).for_each(|_| assert_eq!(told(member.whole(0, 1)), ("ended", 1)));
        }
    });
}

#[test]
fn three_ranks_learn_of_one_that_ends() {
    Ranks { ranks: 3, ..LENDING }.model(1, |member| {
        if member.here != 1 {
            let (what, _) = told(member.whole(0, 1));
            assert_eq!(what, "ended");
        }
    });
}

#[test]
fn a_rank_that_ends_after_a_move_spoils_it_for_none() {
    LENDING.model(2, |member| {
        member.whole(0, 1).unwrap();
        if member.here == 0 {
            assert_eq!(told(member.whole(0, 2)), ("ended", 1));
        }
    });
    PACKING.model(2, |member| {
        member.exchange(0, 1).unwrap();
        if member.here == 0 {
            assert_eq!(told(member.exchange(0, 2)), ("ended", 1));
        }
    });
}

/// No rank is woken by the end of another rank.
const LEND_BY_TWO: Ranks = Ranks { channels: 2, end: false, ..LENDING };
const PACK_BY_TWO: Ranks = Ranks { channels: 2, end: false, ..PACKING };

fn order(here: usize) -> [usize; 2] {
    [here % 2, 1 - here % 2]
}

fn expect_different<T>(here: usize, result: Result<T, Error>) {
    assert_eq!(told(result), ("different", here));
}

#[test]
fn none_hangs_where_ranks_lend_in_different_orders() {
    LEND_BY_TWO.model(2, |member| {
        for channel in order(member.here) {
            expect_different(member.here, member.whole(channel, 1));
        }
        member.whole(0, 2).unwrap();
    });
}

#[test]
fn three_ranks_learn_of_different_orders() {
    Ranks { ranks: 3, ..LEND_BY_TWO }.model(1, |member| {
        expect_different(member.here, member.whole(order(member.here)[0], 1));
    });
}

#[test]
fn none_hangs_where_ranks_pack_in_different_orders() {
    PACK_BY_TWO.model(2, |member| {
        for channel in order(member.here) {
            expect_different(member.here, member.exchange(channel, 1));
        }
    });
}

/// No rank waits in vain here, but none may mistake one move for the next.
#[test]
fn moves_that_are_started_in_different_orders_are_told_apart() {
    PACK_BY_TWO.model(2, |member| {
        let order = order(member.here);
        let started = order.map(|channel| member.start(channel, 1).is_ok());
        assert!(started[0]);
        for channel in order.into_iter().zip(started).filter_map(|(c, began)| began.then_some(c)) {
            expect_different(member.here, member.unpack(channel, 1));
        }
    });
}

#[test]
fn a_move_is_not_taken_for_a_meeting() {
    Ranks { end: false, ..LENDING }.model(2, |member| {
        if member.here == 1 {
            let rank = Rank::new(member.here, Arc::clone(&member.group));
            expect_different(1, rank.meet(0u8));
        } else {
            expect_different(0, member.whole(0, 1));
        }
    });
}
