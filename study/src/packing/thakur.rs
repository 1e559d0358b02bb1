use super::{Cursors, KrCase, PackingMethod, copy};
use redist::Side;
use std::hint::black_box;

/// Special cases of kx→x and x→kx: one owner is computed for a large block, one for each small one.
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
