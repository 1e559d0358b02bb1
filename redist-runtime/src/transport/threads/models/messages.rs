//! Ranks that pack messages, which the others read in place.

use super::{Member, PACKING, Ranks, told, value};
use crate::error::Error;
use crate::transport::{Arrays, Channel, Messaging, Shape, Source, Target};

pub(super) fn meet(
    member: &mut Member,
    channel: usize,
    ready: Result<(), Error>,
) -> Result<(), Error> {
    let mut arrays = Arrays { source: Source::Own(&[]), target: Target::Own(&mut []) };
    // SAFETY: the shape is dropped here, and shares no arrays with other ranks.
    match unsafe { member.channels[channel].meet(ready, &mut arrays) }? {
        Shape::Messages => Ok(()),
        _ => panic!("a rank packs"),
    }
}

/// Fills this rank's messages, which no other rank may be reading; returns their address.
pub(super) fn fill(member: &mut Member, channel: usize, round: usize) -> *const u8 {
    let packed = member.channels[channel].begin_messages().unwrap();
    packed.map_or(std::ptr::null(), |outbox| {
        member.fields[member.here].packed[channel].write();
        let buffer = outbox.rooms.buffer;
        buffer.fill(value(member.here, round));
        buffer.as_ptr()
    })
}

pub(super) fn unpack(member: &mut Member, channel: usize, round: usize) -> Result<(), Error> {
    let (fields, here) = (std::rc::Rc::clone(&member.fields), member.here);
    let (number, channel) = (channel, &mut member.channels[channel]);
    channel.agree()?;
    channel.all()?;
    for sender in (0..fields.len()).filter(|rank| *rank != here) {
        fields[sender].packed[number].read();
        // Messages are of all ranks but this one.
        let message = sender - usize::from(sender > here);
        assert_eq!(channel.message(message), Some(&[value(sender, round)][..]));
    }
    channel.end();
    Ok(())
}

pub(super) fn exchange(
    member: &mut Member,
    channel: usize,
    round: usize,
) -> Result<*const u8, Error> {
    meet(member, channel, Ok(()))?;
    let place = fill(member, channel, round);
    member.channels[channel].send()?;
    unpack(member, channel, round).map(|()| place)
}

#[test]
fn a_buffer_is_filled_when_all_have_read_it() {
    PACKING.model(2, |member| {
        let [first, second] = [1, 2].map(|round| exchange(member, 0, round).unwrap());
        assert_eq!(first, second, "nothing is allocated anew");
    });
}

#[test]
fn three_ranks_pack() {
    Ranks { ranks: 3, ..PACKING }.model(1, |member| _ = exchange(member, 0, 1).unwrap());
}

#[test]
fn a_panic_amid_packing_is_told_and_ends_the_move() {
    PACKING.model(2, |member| {
        if member.here == 1 {
            meet(member, 0, Ok(())).unwrap();
            fill(member, 0, 7);
            member.channels[0].leave().unwrap();
        } else {
            assert_eq!(told(exchange(member, 0, 1).map(|_| ())), ("failed", 1));
        }
        exchange(member, 0, 2).unwrap();
    });
}

/// All have packed by then, so the others receive their messages.
#[test]
fn a_panic_amid_unpacking_ends_no_other_rank() {
    PACKING.model(2, |member| {
        if member.here == 1 {
            meet(member, 0, Ok(())).unwrap();
            fill(member, 0, 1);
            member.channels[0].send().unwrap();
            member.channels[0].agree().unwrap();
            member.channels[0].all().unwrap();
        } else {
            exchange(member, 0, 1).unwrap();
        }
        exchange(member, 0, 2).unwrap();
    });
}

#[test]
fn no_message_is_read_where_a_rank_is_not_ready() {
    PACKING.model(2, |member| {
        let own = Error::TooFewRanks { needed: 9, size: 2 };
        meet(member, 0, if member.here == 1 { Err(own) } else { Ok(()) }).unwrap();
        fill(member, 0, 1);
        member.channels[0].send().unwrap();
        let first = told(unpack(member, 0, 1));
        assert_eq!(first, if member.here == 1 { ("own", 0) } else { ("failed", 1) });
        exchange(member, 0, 2).unwrap();
    });
}
