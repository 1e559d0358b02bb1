//! Hsu and Chung's way to pack and unpack.

use super::{Cursors, KrCase, PackingMethod, Unpacker, copy};
use crate::baseline::equations;
use redist::Side;
use std::hint::black_box;

/// Packs and unpacks as sections 3.1 and 3.2, corrected, with loops that end where a message does.
pub struct Krr;

impl PackingMethod for Krr {
    fn name(&self) -> &'static str {
        "Hsu-Chung"
    }

    fn pack(&self, case: &KrCase, rank: usize, local: &[f32], messages: &mut [&mut [f32]]) {
        if case.scatters {
            pack_scattered(case, rank, local, messages)
        } else {
            pack_gathered(case, rank, local, messages)
        }
    }

    fn unpack(&self, case: &KrCase, rank: usize, messages: &[&[f32]], local: &mut [f32]) {
        for (source, message) in
            messages.iter().enumerate().filter(|(_, message)| !message.is_empty())
        {
            unpack_one(case, rank, source, message, local);
        }
    }

    fn unpacker(&self, case: &KrCase, rank: usize) -> Option<Unpacker> {
        let case = *case;
        Some(Box::new(move |source, message, local| {
            unpack_one(&case, rank, source, message, local);
        }))
    }

    /// Evaluates the equations for every partner. r→kr's sender walks through one cycle, because no
    /// equation gives a later destination.
    fn indices(&self, case: &KrCase, rank: usize, side: Side, _: usize) {
        let &KrCase { ranks, k, r, scatters, .. } = case;
        let blocks = (k, r);
        match (side, scatters) {
            (Side::Source, true) => {
                black_box(equations::first_destination(rank, k, ranks));
            }
            (Side::Source, false) => {
                black_box(cycle(case, rank));
            }
            (Side::Destination, true) => (0..ranks).for_each(|source| {
                black_box(equations::first_offset_scattered(source, rank, blocks, ranks));
                black_box(equations::scattered(source, rank, blocks, ranks));
            }),
            (Side::Destination, false) => (0..ranks).for_each(|source| {
                black_box(equations::first_offset_gathered(source, rank, blocks, ranks));
                black_box(equations::gathered(source, rank, blocks, ranks));
            }),
        }
    }
}

/// Algorithm kr→r: deals blocks of `r` to destinations in turn, from that of equation (1) on.
fn pack_scattered(case: &KrCase, rank: usize, local: &[f32], messages: &mut [&mut [f32]]) {
    let &KrCase { ranks, k, r, .. } = case;
    let (first, mut cursors) = (equations::first_destination(rank, k, ranks), Cursors::new(ranks));
    for block in local.chunks(k * r) {
        let mut peer = first;
        for piece in block.chunks(r) {
            copy(&mut messages[peer][cursors.next(peer, piece.len())], piece);
            peer = if peer + 1 == ranks { 0 } else { peer + 1 };
        }
    }
}

fn unpack_one(case: &KrCase, rank: usize, source: usize, message: &[f32], local: &mut [f32]) {
    let blocks = (case.k, case.r);
    if case.scatters {
        let first = equations::first_offset_scattered(source, rank, blocks, case.ranks);
        let share = equations::scattered(source, rank, blocks, case.ranks);
        unpack_scattered(case, (first, share), message, local);
    } else {
        let first = equations::first_offset_gathered(source, rank, blocks, case.ranks);
        let share = equations::gathered(source, rank, blocks, case.ranks);
        unpack_gathered(case, (first, share), message, local);
    }
}

/// One cycle is listed, and repeated: after `k` own blocks, destinations are the same again.
fn pack_gathered(case: &KrCase, rank: usize, local: &[f32], messages: &mut [&mut [f32]]) {
    let (mut cursors, cycle) = (Cursors::new(case.ranks), cycle(case, rank));
    for part in local.chunks(case.k * case.r) {
        for &(peer, start, end) in cycle.iter().take_while(|(_, start, _)| *start < part.len()) {
            let range = &part[start..end.min(part.len())];
            copy(&mut messages[peer][cursors.next(peer, range.len())], range);
        }
    }
}

fn cycle(case: &KrCase, rank: usize) -> Vec<(usize, usize, usize)> {
    let mut ranges = Vec::new();
    for_each_range(case, rank, case.k * case.r, |peer, start, end| ranges.push((peer, start, end)));
    ranges
}

/// Equation (4), as a walk: the own blocks in one destination block leave together.
#[inline]
fn for_each_range(
    case: &KrCase,
    rank: usize,
    len: usize,
    mut range: impl FnMut(usize, usize, usize),
) {
    let &KrCase { ranks, k, r, .. } = case;
    let (mut start, mut block) = (0, rank);
    while start < len {
        let target = block / k;
        let together = (k * (target + 1) - block).div_ceil(ranks);
        let end = len.min(start + together * r);
        range(target % ranks, start, end);
        (start, block) = (end, block + together * ranks);
    }
}

/// Equations (2) and (3): one range of the local array a cycle.
fn unpack_scattered(
    case: &KrCase,
    (first, share): (usize, usize),
    message: &[f32],
    local: &mut [f32],
) {
    let mut start = first;
    for part in message.chunks(share) {
        copy(&mut local[start..start + part.len()], part);
        start += case.k * case.r;
    }
}

/// Equations (6) and (7): every `ranks`th small block of a large one, cycle after cycle.
fn unpack_gathered(
    case: &KrCase,
    (first, share): (usize, usize),
    message: &[f32],
    local: &mut [f32],
) {
    let mut cycle = first;
    for part in message.chunks(share) {
        let mut start = cycle;
        for piece in part.chunks(case.r) {
            copy(&mut local[start..start + piece.len()], piece);
            start += case.ranks * case.r;
        }
        cycle += case.k * case.r;
    }
}
