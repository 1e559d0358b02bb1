//! Ranks that read messages in the order of steps, at most one at a time from a sender.

use super::messages::{exchange, fill, meet, unpack};
use super::{Member, PACKING, Ranks, check, value};
use crate::program::Step;
use crate::transport::Channel;

/// Each rank sends to itself first, then to the next ones.
fn steps<const RANKS: usize>(rank: usize) -> Vec<Step> {
    let step = |step| Step {
        send: Some((rank + step) % RANKS),
        receive: Some((rank + RANKS - step) % RANKS),
    };
    (0..RANKS).map(step).collect()
}

const TWO: Ranks = Ranks { steps: Some(steps::<2>), ..PACKING };
const THREE: Ranks = Ranks { ranks: 3, steps: Some(steps::<3>), ..PACKING };

/// That two ranks read from one sender is found where they tell that they do.
#[test]
fn one_rank_at_a_time_reads_from_a_sender() {
    check(2, || TWO.run(|member| (1..3).for_each(|round| _ = exchange(member, 0, round).unwrap())));
}

#[test]
fn three_ranks_take_turns() {
    check(1, || THREE.run(|member| _ = exchange(member, 0, 1).unwrap()));
}

/// A rank that only starts a move has no turn, and the others do not wait for it.
#[test]
fn a_rank_that_starts_takes_no_turn() {
    check(1, || {
        THREE.run(|member| {
            if member.here == 2 {
                member.channels[0].begin(Ok(())).unwrap();
                fill(member, 0, 1);
                member.channels[0].send().unwrap();
                unpack(member, 0, 1).unwrap();
            } else {
                exchange(member, 0, 1).unwrap();
            }
        });
    });
}

/// Reads one message, and leaves the others, as a panic does.
fn leave_amid_the_steps(member: &mut Member) {
    meet(member, 0, Ok(())).unwrap();
    fill(member, 0, 1);
    member.channels[0].send().unwrap();
    member.channels[0].agree().unwrap();
    let sender = member.channels[0].next().unwrap().unwrap();
    assert_eq!(member.channels[0].message(sender), [value(sender, 1)]);
}

#[test]
fn a_panic_amid_the_steps_keeps_none_waiting() {
    check(2, || {
        Ranks { end: false, ..TWO }.run(|member| {
            if member.here == 1 {
                leave_amid_the_steps(member);
                drop(member.channels.remove(0));
            } else {
                exchange(member, 0, 1).unwrap();
            }
        });
    });
}

/// The next move ends the one before.
#[test]
fn a_panic_amid_the_steps_that_is_caught_ends_the_move() {
    check(2, || {
        TWO.run(|member| {
            if member.here == 1 {
                leave_amid_the_steps(member)
            } else {
                _ = exchange(member, 0, 1).unwrap()
            }
            exchange(member, 0, 2).unwrap();
        });
    });
}
