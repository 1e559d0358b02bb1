//! Ranks that read the arrays or messages of their senders, and wait for their receivers.

use super::messages::fill;
use super::starting::start;
use super::{Fields, LENDING, Member, Ranks, kept, told, value};
use crate::error::Error;
use crate::transport::{Arrays, Channel, Messaging, Pull, Shape, Source, Target};

/// Three ranks, each with elements for the next.
const LINE: Ranks = Ranks { ranks: 3, in_a_line: true, ..LENDING };
const PAIR: Ranks = Ranks { ranks: 2, ..LINE };

/// Reads what is for this rank, of its senders' arrays or messages. No other rank may be using its
/// arrays before and afterwards.
pub(super) fn pull(
    member: &mut Member,
    round: usize,
    ready: Result<(), Error>,
) -> Result<(), Error> {
    let own = &member.fields[member.here];
    own.source.write();
    let source = kept([value(member.here, round)]);
    let mut arrays = Arrays { source: Source::Own(source), target: Target::Own(kept([0; 3])) };
    // SAFETY: the shape is dropped before the arrays are used again, or forgotten: they stay.
    let (outcome, is_wanted) = match unsafe { member.channels[0].meet(ready, &mut arrays) } {
        Ok(Shape::Pulled(mut pull)) => {
            let outcome = pull.senders();
            if outcome.is_ok() {
                read(&mut pull, (member.here, &member.fields), round);
            }
            (outcome, pull.is_a_message_wanted())
        }
        Ok(_) => panic!("not all ranks share"),
        Err(error) => (Err(error), false),
    };
    if is_wanted {
        fill(member, 0, round);
        member.channels[0].send().unwrap();
    }
    member.fields[member.here].source.write();
    outcome
}

fn read(pull: &mut Pull<'_>, (here, fields): (usize, &[Fields]), round: usize) {
    let has_messages = pull.channel.has_messages();
    if has_messages {
        pull.channel.receive().unwrap();
    }
    for (sender, found) in pull.sources().iter().enumerate() {
        if sender != here && !found.is_empty() {
            fields[sender].source.read();
            assert_eq!(**found, [value(sender, round)]);
        }
    }
    if let Some(message) = has_messages.then(|| pull.channel.message(0)).flatten() {
        // Senders are in a line, or two.
        let sender = (here + fields.len() - 1) % fields.len();
        fields[sender].packed[0].read();
        assert_eq!(message, [value(sender, round)]);
    }
}

fn finish(member: &mut Member, round: usize) -> Result<(), Error> {
    member.channels[0].agree()?;
    member.channels[0].all()?;
    if let Some(sender) = member.here.checked_sub(1) {
        member.fields[sender].packed[0].read();
        assert_eq!(member.channels[0].message(0), Some(&[value(sender, round)][..]));
    }
    member.channels[0].end();
    Ok(())
}

#[test]
fn arrays_are_used_by_their_owner_or_by_receivers() {
    PAIR.model(2, |member| (1..3).for_each(|round| pull(member, round, Ok(())).unwrap()));
}

#[test]
fn a_fault_ends_one_move() {
    PAIR.model(2, |member| {
        let own = Error::TooFewRanks { needed: 9, size: 2 };
        let ready = if member.here == 0 { Err(own) } else { Ok(()) };
        let first = told(pull(member, 1, ready));
        assert_eq!(first, [("own", 0), ("failed", 0)][member.here]);
        pull(member, 2, Ok(())).unwrap();
    });
}

#[test]
fn three_ranks_pull_in_a_line() {
    LINE.model(1, |member| pull(member, 1, Ok(())).unwrap());
}

#[test]
fn a_fault_reaches_receivers() {
    LINE.model(1, |member| {
        let own = Error::TooFewRanks { needed: 9, size: 3 };
        let ready = if member.here == 1 { Err(own) } else { Ok(()) };
        let first = told(pull(member, 1, ready));
        assert_eq!(first, [("ok", 0), ("own", 0), ("failed", 1)][member.here]);
    });
}

#[test]
fn a_receiver_starts_what_its_sender_runs() {
    for starter in 0..2 {
        PAIR.model(2, move |member| {
            if member.here == starter {
                start(member, 0, 1);
                finish(member, 1).unwrap();
            } else {
                pull(member, 1, Ok(())).unwrap();
            }
            pull(member, 2, Ok(())).unwrap();
        });
    }
}

#[test]
fn a_rank_that_ends_is_missed_by_its_receiver_alone() {
    LINE.model(1, |member| {
        if member.here != 1 {
            let moved = told(pull(member, 1, Ok(())));
            assert_eq!(moved, [("ok", 0), ("own", 0), ("ended", 1)][member.here]);
        }
    });
}

/// The rank in the middle makes another call in between.
#[test]
fn another_call_is_told_to_receivers() {
    Ranks { channels: 2, ..LINE }.model(1, |member| {
        if member.here == 1 {
            member.channels.swap(0, 1);
            let moved = told(pull(member, 1, Ok(())));
            assert_eq!(moved, ("different", 1));
        } else {
            let moved = told(pull(member, 1, Ok(())));
            assert_eq!(moved, [("ok", 0), ("different", 2)][member.here / 2]);
        }
    });
}
