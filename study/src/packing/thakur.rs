//! Thakur's special cases: an owner for each large block.

use super::{Cursors, KrCase, PackingMethod, Unpacker, copy};
use redist::Side;
use std::hint::black_box;

/// Special cases of kx→x and x→kx: one owner is computed for a large block, and an owner for each
/// small block.
pub struct Thakur;

impl PackingMethod for Thakur {
    fn name(&self) -> &'static str {
        "Thakur"
    }

    fn pack(&self, case: &KrCase, rank: usize, local: &[f32], messages: &mut [&mut [f32]]) {
        let mut cursors = Cursors::new(case.ranks);
        let mut own = rank;
        for block in local.chunks(case.block(Side::Source)) {
            for_each_piece(case, case.scatters, own, block.len(), |peer, start, end| {
                let place = cursors.next(peer, end - start);
                copy(&mut messages[peer][place], &block[start..end]);
            });
            own += case.ranks;
        }
    }

    fn unpack(&self, case: &KrCase, rank: usize, messages: &[&[f32]], local: &mut [f32]) {
        let mut cursors = Cursors::new(case.ranks);
        let mut own = rank;
        for block in local.chunks_mut(case.block(Side::Destination)) {
            for_each_piece(case, !case.scatters, own, block.len(), |peer, start, end| {
                let place = cursors.next(peer, end - start);
                copy(&mut block[start..end], &messages[peer][place]);
            });
            own += case.ranks;
        }
    }

    /// Hsu and Chung have this method unpack any received message of r→kr, and of kr→r none.
    fn unpacker(&self, case: &KrCase, rank: usize) -> Option<Unpacker> {
        let case = *case;
        (!case.scatters).then(|| {
            let unpack = move |source: usize, message: &[f32], local: &mut [f32]| {
                unpack_one(&case, rank, (source, message), local)
            };
            Box::new(unpack) as Unpacker
        })
    }

    fn indices(&self, case: &KrCase, rank: usize, side: Side, len: usize) {
        let block = case.block(side);
        let large = (side == Side::Source) == case.scatters;
        let mut own = rank;
        for start in (0..len).step_by(block) {
            for_each_piece(case, large, own, block.min(len - start), |peer, start, end| {
                black_box((peer, start, end));
            });
            own += case.ranks;
        }
    }
}

/// Unpacks one message of r→kr: of each large block, one owner tells the blocks of all others.
fn unpack_one(case: &KrCase, rank: usize, (source, message): (usize, &[f32]), local: &mut [f32]) {
    let (mut own, mut at) = (rank, 0);
    for block in local.chunks_mut(case.block(Side::Destination)) {
        let first = own * case.k % case.ranks;
        let skipped = (source + case.ranks - first) % case.ranks;
        for piece in block.chunks_mut(case.r).skip(skipped).step_by(case.ranks) {
            copy(piece, &message[at..at + piece.len()]);
            at += piece.len();
        }
        own += case.ranks;
    }
}

#[inline]
fn for_each_piece(
    case: &KrCase,
    large: bool,
    own: usize,
    len: usize,
    mut piece: impl FnMut(usize, usize, usize),
) {
    if !large {
        return piece(own / case.k % case.ranks, 0, len);
    }
    let mut peer = own * case.k % case.ranks;
    for start in (0..len).step_by(case.r) {
        piece(peer, start, len.min(start + case.r));
        peer = if peer + 1 == case.ranks { 0 } else { peer + 1 };
    }
}
