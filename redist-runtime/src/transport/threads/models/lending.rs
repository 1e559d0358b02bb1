//! Ranks that share their arrays.

use super::{LENDING, Member, Ranks, kept, told, value};
use crate::error::Error;
use crate::transport::{Arrays, Channel, Lent, Shape, Source, Target};

/// Shares this rank's arrays, which no other rank may be using then, and which are its own
/// afterwards. Returns the destination's value.
pub(super) fn lend(
    member: &mut Member,
    channel: usize,
    round: usize,
    ready: Result<(), Error>,
    copy: impl FnOnce(Lent<'_>) -> Result<(), Error>,
) -> Result<&'static [u8], Error> {
    let own = &member.fields[member.here];
    let (source, destination) = (kept([value(member.here, round)]), kept([0; 3]));
    let uses_own = || {
        own.source.write();
        own.destination.iter().for_each(|element| element.write());
    };
    uses_own();
    let mut arrays = Arrays { source: Source::Own(source), target: Target::Own(destination) };
    // SAFETY: the shape is dropped before the arrays are used again, or forgotten: they stay.
    let result = match unsafe { member.channels[channel].meet(ready, &mut arrays) } {
        Ok(Shape::Lent(lent)) => copy(lent),
        Ok(Shape::Pulled(mut pull)) => pull.senders().inspect(|()| panic!("all ranks share")),
        Ok(_) => panic!("all ranks share"),
        Err(error) => Err(error),
    };
    uses_own();
    result.map(|()| &*arrays.target.into_bytes())
}

/// Copies this rank's share: one element of each destination, from the next rank's source.
pub(super) fn share(lent: &Lent<'_>, fields: &[super::Fields], here: usize, round: usize) {
    let ranks = fields.len();
    for (rank, destination) in lent.destinations.iter().enumerate() {
        let from = (rank + 1) % ranks;
        fields[from].source.read();
        fields[rank].destination[here].write();
        assert_eq!(lent.sources[from], [value(from, round)], "of this move, and of this rank");
        // SAFETY: threads of a model run one at a time, and nothing refers to the element.
        unsafe { *destination[here].get() = lent.sources[from][0] };
    }
}

pub(super) fn whole(member: &mut Member, channel: usize, round: usize) -> Result<(), Error> {
    let (fields, here) = (std::rc::Rc::clone(&member.fields), member.here);
    let copied = lend(member, channel, round, Ok(()), |lent| {
        share(&lent, &fields, here, round);
        lent.end()
    })?;
    let from = (here + 1) % fields.len();
    assert!(copied[..fields.len()].iter().all(|&element| element == value(from, round)));
    Ok(())
}

#[test]
fn arrays_are_used_by_one_side_at_a_time() {
    LENDING.model(2, |member| (1..3).for_each(|round| whole(member, 0, round).unwrap()));
}

#[test]
fn three_ranks_lend() {
    Ranks { ranks: 3, ..LENDING }.model(1, |member| whole(member, 0, 1).unwrap());
}

/// The shared arrays are dropped before this rank has copied, as in a panic.
#[test]
fn a_panic_amid_copying_is_told_and_ends_the_move() {
    LENDING.model(2, |member| {
        let first = match member.here {
            1 => lend(member, 0, 1, Ok(()), |lent| {
                drop(lent);
                Ok(())
            })
            .map(|_| ()),
            _ => whole(member, 0, 1),
        };
        assert_eq!(told(first), if member.here == 1 { ("ok", 0) } else { ("failed", 1) });
        whole(member, 0, 2).unwrap();
    });
}

#[test]
fn nothing_is_lent_where_a_rank_is_not_ready() {
    LENDING.model(2, |member| {
        let own = Error::TooFewRanks { needed: 9, size: 2 };
        let ready = if member.here == 1 { Err(own) } else { Ok(()) };
        let first = lend(member, 0, 1, ready, |_| panic!("nothing is lent"));
        let told = told(first.map(|_| ()));
        assert_eq!(told, if member.here == 1 { ("own", 0) } else { ("failed", 1) });
        whole(member, 0, 2).unwrap();
    });
}
