//! Packing and unpacking by families of pieces that repeat.

use super::{Cursors, KrCase, PackingMethod, Unpacker, copy};
use crate::baseline::{Intersection, Segments};
use crate::messages::{MessagePieces, for_each_repetition};
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
        let found = self.found(&case.mirrored(), rank);
        let messages = MessagePieces::listed(&found, case.ranks, case.ranks);
        Some(Box::new(move |source, message, local| {
            messages.for_each_piece(source, |start, at, len| {
                copy(&mut local[start..start + len], &message[at..at + len]);
            });
        }))
    }

    fn indices(&self, case: &KrCase, rank: usize, side: Side, _: usize) {
        let case = if side == Side::Source { *case } else { case.mirrored() };
        black_box(self.found(&case, rank));
    }
}

impl Periodic {
    fn found(&self, case: &KrCase, rank: usize) -> Vec<Segments> {
        let mut found = Vec::new();
        self.0.intersect(&case.axis(), rank, &mut found);
        found
    }

    fn for_each_piece(
        &self,
        case: &KrCase,
        rank: usize,
        mut piece: impl FnMut(usize, usize, usize),
    ) {
        for_each_repetition(&self.found(case, rank), case.ranks, |family, start, len| {
            piece(family.peer, start, len)
        });
    }
}
