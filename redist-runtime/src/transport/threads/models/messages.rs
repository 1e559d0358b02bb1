//! Ranks that pack messages, which their receivers read in place; moves that ranks begin, and
//! complete later or forget.

use super::{LENDING, PACKING, Ranks, told};
use crate::transport::{Channel, GoesOn, Messaging};

#[test]
fn a_buffer_is_filled_when_all_have_read_it() {
    PACKING.model(2, |member| {
        let [first, second] = [1, 2].map(|round| member.exchange(0, round).unwrap());
        assert_eq!(first, second, "nothing is allocated anew");
    });
}

#[test]
fn three_ranks_pack() {
    Ranks { ranks: 3, ..PACKING }.model(1, |member| _ = member.exchange(0, 1).unwrap());
}

#[test]
fn a_panic_amid_packing_is_told_and_ends_the_move() {
    PACKING.model(2, |member| {
        if member.here == 1 {
            member.meet_by_messages(0, Ok(())).unwrap();
            member.fill(0, 7);
            member.channels[0].leave().unwrap();
        } else {
            assert_eq!(told(member.exchange(0, 1)), ("failed", 1));
        }
        member.exchange(0, 2).unwrap();
    });
}

/// All have packed by then, so all receivers receive their messages.
#[test]
fn a_panic_amid_unpacking_ends_no_other_rank() {
    PACKING.model(2, |member| {
        if member.here == 1 {
            member.meet_by_messages(0, Ok(())).unwrap();
            member.fill(0, 1);
            member.channels[0].send().unwrap();
            member.channels[0].agree().unwrap();
            member.channels[0].all().unwrap();
        } else {
            member.exchange(0, 1).unwrap();
        }
        member.exchange(0, 2).unwrap();
    });
}

#[test]
fn no_message_is_read_where_a_rank_is_not_ready() {
    PACKING.model(2, |member| {
        member.meet_by_messages(0, member.ready_unless(1)).unwrap();
        member.fill(0, 1);
        member.channels[0].send().unwrap();
        assert_eq!(told(member.unpack(0, 1)), [("failed", 1), ("own", 0)][member.here]);
        member.exchange(0, 2).unwrap();
    });
}

/// The second rank reads a message, and packs one; the next time, both share.
#[test]
fn a_rank_runs_what_another_starts() {
    LENDING.model(2, |member| {
        if member.here == 1 {
            member.start(0, 1).unwrap();
            member.unpack(0, 1).unwrap();
        } else {
            member.pull(1, Ok(())).unwrap();
        }
        member.whole(0, 2).unwrap();
    });
}

#[test]
fn a_move_that_is_forgotten_keeps_none_waiting() {
    PACKING.model(2, |member| {
        if member.here == 1 {
            member.start(0, 1).unwrap();
            drop(member.channels.remove(0));
        } else {
            member.exchange(0, 1).unwrap();
        }
    });
}

#[test]
fn a_move_that_is_forgotten_is_completed_by_the_next() {
    LENDING.model(2, |member| {
        if member.here == 1 {
            member.start(0, 1).unwrap();
        } else {
            member.pull(1, Ok(())).unwrap();
        }
        member.whole(0, 2).unwrap();
    });
}

/// Other ranks fail in this move only, whatever the rank does then.
#[test]
fn a_rank_that_leaves_a_move_amid_packing_is_told_of() {
    Ranks { channels: 2, ..PACKING }.model(2, |member| {
        if member.here == 1 {
            member.channels[1].begin(Ok(()), GoesOn::WithSenders).unwrap();
            member.fill(1, 7);
            member.channels[1].leave().unwrap();
            drop(member.channels.remove(1));
        } else {
            assert_eq!(told(member.exchange(1, 1)), ("failed", 1));
        }
        member.exchange(0, 2).unwrap();
    });
}

#[test]
fn moves_are_completed_in_any_order() {
    Ranks { channels: 2, ..PACKING }.model(2, |member| {
        (0..2).for_each(|channel| member.start(channel, 1).unwrap());
        let [first, second] = if member.here == 1 { [1, 0] } else { [0, 1] };
        member.unpack(first, 1).unwrap();
        member.unpack(second, 1).unwrap();
    });
}
