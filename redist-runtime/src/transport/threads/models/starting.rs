//! Moves that ranks begin, and complete later or forget.

use super::lending::whole;
use super::messages::{exchange, fill, unpack};
use super::pulling::pull;
use super::{LENDING, Member, PACKING, Ranks, told};
use crate::transport::{Channel, GoesOn, Messaging};

pub(super) fn start(member: &mut Member, channel: usize, round: usize) {
    member.channels[channel].begin(Ok(()), GoesOn::WithSenders).unwrap();
    fill(member, channel, round);
    member.channels[channel].send().unwrap();
}

/// The other reads a message, and packs one; the next time, both share.
#[test]
fn a_rank_runs_what_another_starts() {
    LENDING.model(2, |member| {
        if member.here == 1 {
            start(member, 0, 1);
            unpack(member, 0, 1).unwrap();
        } else {
            pull(member, 1, Ok(())).unwrap();
        }
        whole(member, 0, 2).unwrap();
    });
}

#[test]
fn a_move_that_is_forgotten_keeps_none_waiting() {
    PACKING.model(2, |member| {
        if member.here == 1 {
            start(member, 0, 1);
            drop(member.channels.remove(0));
        } else {
            exchange(member, 0, 1).unwrap();
        }
    });
}

#[test]
fn a_move_that_is_forgotten_is_completed_by_the_next() {
    LENDING.model(2, |member| {
        if member.here == 1 {
            start(member, 0, 1);
        } else {
            pull(member, 1, Ok(())).unwrap();
        }
        whole(member, 0, 2).unwrap();
    });
}

/// The others fail in this move alone, whatever the rank does then.
#[test]
fn a_rank_that_leaves_a_move_amid_packing_is_told_of() {
    Ranks { channels: 2, ..PACKING }.model(2, |member| {
        if member.here == 1 {
            member.channels[1].begin(Ok(()), GoesOn::WithSenders).unwrap();
            fill(member, 1, 7);
            member.channels[1].leave().unwrap();
            drop(member.channels.remove(1));
        } else {
            assert_eq!(told(exchange(member, 1, 1).map(|_| ())), ("failed", 1));
        }
        exchange(member, 0, 2).unwrap();
    });
}

#[test]
fn moves_are_completed_in_any_order() {
    Ranks { channels: 2, ..PACKING }.model(2, |member| {
        (0..2).for_each(|channel| start(member, channel, 1));
        let [first, second] = if member.here == 1 { [1, 0] } else { [0, 1] };
        unpack(member, first, 1).unwrap();
        unpack(member, second, 1).unwrap();
    });
}
