use super::{Cursors, KrCase, PackingMethod, Unpacker, copy};
use crate::baseline::{Intersection, Segments};
use crate::messages::MessagePieces;
use redist::Side;
use std::hint::black_box;

/// PITFALLS, ASPEN, and others whose families repeat with the period of both sides.
pub struct Periodic(pub &'static dyn Intersection);

impl PackingMethod for Periodic {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn pack(&self, case: &KrCase, rank: usize, local: &[f32], messages: &mut [&mut [f32]]) {
        let mut cursors = Cursors::new(case.ranks);
        self.for_each_piece(case, rank, |peer, start, len| {
            copy(&mut messages[peer][cursors.next(peer, len)], &local[start..start + len]);
        });
    }

    fn unpack(&self, case: &KrCase, rank: usize, messages: &[&[f32]], local: &mut [f32]) {
        let mut cursors = Cursors::new(case.ranks);
        self.for_each_piece(&case.mirrored(), rank, |peer, start, len| {
            copy(&mut local[start..start + len], &messages[peer][cursors.next(peer, len)]);
        });
    }

    fn unpacker(&self, case: &KrCase, rank: usize) -> Option<Unpacker> {
        let mut found: Vec<Segments> = Vec::new();
        self.0.intersect(&case.mirrored().axis(), rank, &mut found);
        let messages = MessagePieces::listed(&found, case.ranks, case.ranks);
        Some(Box::new(move |source, message, local| {
            messages.for_each_piece(source, |start, at, len| {
                copy(&mut local[start..start + len], &message[at..at + len]);
            });
        }))
    }

    fn indices(&self, case: &KrCase, rank: usize, side: Side, _: usize) {
        let case = if side == Side::Source { *case } else { case.mirrored() };
        let mut found: Vec<Segments> = Vec::new();
        self.0.intersect(&case.axis(), rank, &mut found);
        black_box(found);
    }
}

impl Periodic {
    fn for_each_piece(
        &self,
        case: &KrCase,
        rank: usize,
        mut piece: impl FnMut(usize, usize, usize),
    ) {
        let mut found: Vec<Segments> = Vec::new();
        self.0.intersect(&case.axis(), rank, &mut found);
        let periods = found.iter().map(|family| family.count).max().unwrap_or(0);
        for period in 0..periods {
            for family in found.iter().filter(|family| period < family.count) {
                let len = if period + 1 == family.count { family.last_len } else { family.len };
                piece(
                    family.peer,
                    family.source_offset + period * (family.stride / case.ranks),
                    len,
                );
            }
        }
    }
}
