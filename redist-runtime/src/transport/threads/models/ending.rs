//! Ranks that end while others wait for them.

use super::lending::whole;
use super::messages::exchange;
use super::{LENDING, PACKING, Ranks, told};

#[test]
fn a_rank_that_ends_early_is_told_of_again_and_again() {
    LENDING.model(2, |member| {
        if member.here == 0 {
            (0..2).for_each(|_| assert_eq!(told(whole(member, 0, 1)), ("ended", 1)));
        }
    });
}

#[test]
fn three_ranks_learn_of_one_that_ends() {
    Ranks { ranks: 3, ..LENDING }.model(1, |member| {
        if member.here != 1 {
            let (what, _) = told(whole(member, 0, 1));
            assert_eq!(what, "ended");
        }
    });
}

#[test]
fn a_rank_that_ends_after_a_move_spoils_it_for_none() {
    LENDING.model(2, |member| {
        whole(member, 0, 1).unwrap();
        if member.here == 0 {
            assert_eq!(told(whole(member, 0, 2)), ("ended", 1));
        }
    });
    PACKING.model(2, |member| {
        exchange(member, 0, 1).unwrap();
        if member.here == 0 {
            assert_eq!(told(exchange(member, 0, 2).map(|_| ())), ("ended", 1));
        }
    });
}
