//! Ranks that make different collective calls.

use super::lending::whole;
use super::messages::{exchange, fill, unpack};
use super::{LENDING, Member, PACKING, Rank, Ranks, told};
use crate::error::Error;
use crate::transport::sync::Arc;
use crate::transport::{Channel, GoesOn, Messaging};

/// No rank is woken by another's end.
const LEND_BY_TWO: Ranks = Ranks { channels: 2, end: false, ..LENDING };
const PACK_BY_TWO: Ranks = Ranks { channels: 2, end: false, ..PACKING };

fn order(here: usize) -> [usize; 2] {
    [here % 2, 1 - here % 2]
}

fn expect_different(here: usize, result: Result<(), Error>) {
    assert_eq!(told(result), ("different", here));
}

fn then_agree(member: &mut Member) {
    whole(member, 0, 2).unwrap();
}

#[test]
fn none_hangs_where_ranks_lend_in_different_orders() {
    LEND_BY_TWO.model(2, |member| {
        for channel in order(member.here) {
            expect_different(member.here, whole(member, channel, 1));
        }
        then_agree(member);
    });
}

#[test]
fn three_ranks_learn_of_different_orders() {
    Ranks { ranks: 3, ..LEND_BY_TWO }.model(1, |member| {
        expect_different(member.here, whole(member, order(member.here)[0], 1));
    });
}

#[test]
fn none_hangs_where_ranks_pack_in_different_orders() {
    PACK_BY_TWO.model(2, |member| {
        for channel in order(member.here) {
            expect_different(member.here, exchange(member, channel, 1).map(|_| ()));
        }
    });
}

/// No rank waits in vain here, but none may take one move for the other.
#[test]
fn moves_that_are_started_in_different_orders_are_told_apart() {
    PACK_BY_TWO.model(2, |member| {
        let start = |member: &mut Member, channel: usize| {
            member.channels[channel].begin(Ok(()), GoesOn::WithSenders)?;
            fill(member, channel, 1);
            member.channels[channel].send()
        };
        let order = order(member.here);
        let started = order.map(|channel| start(member, channel).is_ok());
        assert!(started[0]);
        for channel in order.into_iter().zip(started).filter_map(|(c, began)| began.then_some(c)) {
            expect_different(member.here, unpack(member, channel, 1));
        }
    });
}

#[test]
fn a_move_is_not_taken_for_a_meeting() {
    Ranks { end: false, ..LENDING }.model(2, |member| {
        let result = if member.here == 1 {
            let rank = Rank::new(member.here, Arc::clone(&member.group));
            rank.meet(0u8).map(|_| ())
        } else {
            whole(member, 0, 1)
        };
        expect_different(member.here, result);
    });
}
