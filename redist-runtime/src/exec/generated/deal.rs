//! kr→r and r→kr in blocks that the compiler knows: what the macro writes out for literals, as
//! loops over constants.

use super::unrolled::{PackRow, Stored, UnpackRow};
use crate::element::Element;

/// Block, piece and number of peers of a dimension whose own blocks are cut into whole pieces, few
/// and short: what `deal` is written for. Ones where that is not so.
pub const fn dealt(
    own: usize,
    peer: usize,
    peers: usize,
    most: usize,
    longest: usize,
) -> [usize; 3] {
    let fits =
        peer > 0 && own.is_multiple_of(peer) && peers > 1 && peer <= longest && own / peer <= most;
    if fits { [own, peer, peers] } else { [1, 1, 1] }
}

impl PackRow<'_, '_> {
    /// Deals pieces of `PIECE` elements of each block of `BLOCK` to `PEERS` peers in turn.
    ///
    /// # Panics
    /// If blocks do not hold `BLOCK` elements, or these are not as long as a `T`.
    #[inline(always)]
    pub fn deal<T: Element, const BLOCK: usize, const PIECE: usize, const PEERS: usize>(self) {
        self.blocks(|_, blocks: &[[Stored<T>; BLOCK]], messages| {
            let (rounds, extra) = (BLOCK / PIECE / PEERS, BLOCK / PIECE % PEERS);
            for peer in 0..PEERS.min(BLOCK / PIECE) {
                // Two loops with constant trip counts, so that the compiler can write both out.
                let share = messages
                    .share(peer, blocks.len() * PIECE * (rounds + usize::from(peer < extra)));
                if peer < extra {
                    deal_shares::<T, BLOCK, PIECE, PEERS>(blocks, share, peer, rounds + 1);
                } else {
                    deal_shares::<T, BLOCK, PIECE, PEERS>(blocks, share, peer, rounds);
                }
            }
        });
    }
}

impl UnpackRow<'_, '_> {
    /// Gathers blocks of `BLOCK` elements from pieces of `PIECE` elements of `PEERS` peers in turn.
    ///
    /// # Panics
    /// If blocks do not hold `BLOCK` elements, or these are not as long as a `T`.
    #[inline(always)]
    pub fn deal<T: Element, const BLOCK: usize, const PIECE: usize, const PEERS: usize>(self) {
        self.blocks(|_, blocks: &mut [[Stored<T>; BLOCK]], messages| {
            let (rounds, extra) = (BLOCK / PIECE / PEERS, BLOCK / PIECE % PEERS);
            for peer in 0..PEERS.min(BLOCK / PIECE) {
                let share = messages
                    .share(peer, blocks.len() * PIECE * (rounds + usize::from(peer < extra)));
                if peer < extra {
                    gather_shares::<T, BLOCK, PIECE, PEERS>(blocks, share, peer, rounds + 1);
                } else {
                    gather_shares::<T, BLOCK, PIECE, PEERS>(blocks, share, peer, rounds);
                }
            }
        });
    }
}

#[inline(always)]
fn deal_shares<T: Element, const BLOCK: usize, const PIECE: usize, const PEERS: usize>(
    blocks: &[[Stored<T>; BLOCK]],
    share: &mut [Stored<T>],
    peer: usize,
    rounds: usize,
) {
    if rounds == 0 {
        return;
    }
    for (block, share) in blocks.iter().zip(share.chunks_exact_mut(rounds * PIECE)) {
        let pieces = &block[peer * PIECE..];
        for round in 0..rounds {
            let from = round * PEERS * PIECE;
            share[round * PIECE..(round + 1) * PIECE].copy_from_slice(&pieces[from..from + PIECE]);
        }
    }
}

#[inline(always)]
fn gather_shares<T: Element, const BLOCK: usize, const PIECE: usize, const PEERS: usize>(
    blocks: &mut [[Stored<T>; BLOCK]],
    share: &[Stored<T>],
    peer: usize,
    rounds: usize,
) {
    if rounds == 0 {
        return;
    }
    for (block, share) in blocks.iter_mut().zip(share.chunks_exact(rounds * PIECE)) {
        let pieces = &mut block[peer * PIECE..];
        for round in 0..rounds {
            let to = round * PEERS * PIECE;
            pieces[to..to + PIECE].copy_from_slice(&share[round * PIECE..(round + 1) * PIECE]);
        }
    }
}
