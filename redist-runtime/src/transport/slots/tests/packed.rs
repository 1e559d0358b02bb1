//! Moves of packed messages, in turn with chunks.

#[cfg(not(loom))]
use super::{CHUNK, MemoryInParts, chunks, move_all, move_or_pass, part_bytes, run, slots};
use crate::error::Error;
#[cfg(not(loom))]
use crate::transport::slots::Showing;
use crate::transport::slots::Slots;

fn packed_byte(from: usize, to: usize, number: usize) -> u8 {
    (from * 61 + to * 17 + number * 29 + 5) as u8
}

/// Makes a move of packed messages, of one byte to each rank. The last ones lie at the end of
/// `count` slots. Ranks in `early` do not wait for room. The argument of `meet` is `true` if this
/// rank has packed; its result is `true` if all are known to have.
pub fn pack_all(
    slots: &Slots,
    (number, count): (usize, u64),
    early: bool,
    meet: impl FnOnce(bool) -> bool,
) -> Result<(), Error> {
    let ranks = slots.parts.len();
    let (end, span) = (count as usize * slots.slot, slots.next_span(count));
    let place = |to: usize| end - ranks + to..end - ranks + to + 1;
    let pack = || {
        for to in 0..ranks {
            // SAFETY: this rank may pack, as was asked or waited for below, once in the move. Bytes
            // of two messages are not the same, and each slice is dropped at once.
            let room = unsafe { slots.room(span, place(to)) };
            room[0] = packed_byte(slots.rank, to, number);
        }
        slots.show_packed(span);
    };
    let is_packed = early && slots.may_pack(span);
    if is_packed {
        pack();
    }
    let have_all_packed = meet(is_packed);
    slots.begin_packed(span);
    if !is_packed {
        slots.wait_to_pack(span, &|| Ok(()))?;
        pack();
    }
    if !have_all_packed {
        slots.wait_for_packed(span, &|| Ok(()))?;
    }
    for from in 0..ranks {
        // SAFETY: all have packed, as was waited for, here or in `meet`. The slice is dropped
        // before the move ends.
        let message = unsafe { slots.message(from, span, place(slots.rank)) };
        assert_eq!(message, [packed_byte(from, slots.rank, number)], "of rank {from}");
    }
    slots.end_packed();
    Ok(())
}

/// Packed messages alternate with chunks: some ranks pack early, and some moves do not come.
#[cfg(not(loom))]
#[test]
fn packed_messages_are_as_they_were_packed() {
    let (short, long) = (chunks(3, 3 * CHUNK), chunks(3, 70));
    let all_meet = std::sync::Barrier::new(3);
    run(3, |slots| {
        let mut showing = Showing::default();
        for number in 0..200 {
            let count = [1, 4, 3, 2, 3][number % 5];
            let meet = || {
                if number % 3 == 0 {
                    all_meet.wait();
                }
            };
            match number % 11 {
                3 => move_all(slots, &mut showing, &long, number, |_| ()).unwrap(),
                6 => move_or_pass(slots, &mut showing, &short, (number, true), meet).unwrap(),
                9 => slots.pass(&mut showing, count),
                _ => {
                    let early = (number + slots.rank) % 4 != 0;
                    let meet = |_| {
                        meet();
                        false
                    };
                    pack_all(slots, (number, count), early, meet).unwrap();
                }
            }
        }
    });
}

/// Slots at the end of the ring stay unused, and at most half of the ring is filled.
#[cfg(not(loom))]
#[test]
fn packed_messages_lie_together() {
    let memory = MemoryInParts::new(1, part_bytes());
    // SAFETY: there is one rank that makes the call, and the memory outlives the slots.
    let slots = unsafe { slots(&memory, 0) };
    assert_eq!(slots.most_packed(), 4 * CHUNK);
    assert_eq!(
        [0, 1, CHUNK, CHUNK + 1, 4 * CHUNK].map(|len| slots.slots_for(len)),
        [1, 1, 1, 2, 4]
    );
    let mut firsts = Vec::new();
    for count in [3, 3, 3, 1, 4, 4, 2] {
        firsts.push(slots.next_span(count).end() - count);
        slots.pass(&mut Showing::default(), count);
    }
    assert_eq!(firsts, [0, 3, 8, 11, 12, 16, 20]);
}
