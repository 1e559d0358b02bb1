//! What the macro's unrolled loops call: many blocks of the local array at a time, one message after the other.
//!
//! Written for generated code, which is safe and knows blocks and pieces as constants, so that the compiler can make
//! register moves of the copies. Inside a tile of the local array that fits the first cache, all that belongs to one
//! message is copied before the next message's turn: cursors move once a tile, not once a piece. Nothing here can go
//! out of bounds; a wrong call panics.

use crate::program::OwnBlocks;
use core::mem;

/// Bytes of the local array that are dealt with at a time; well inside any first-level cache.
const TILE_BYTES: usize = 16 * 1024;

/// A row of the local array to be packed.
pub struct PackRow<'r, 'm, T> {
    pub(in crate::exec) blocks: &'r OwnBlocks,
    pub(in crate::exec) local: &'r [T],
    pub(in crate::exec) messages: &'r mut [&'m mut [T]],
}

/// A row of the local array to be unpacked.
pub struct UnpackRow<'r, 'm, T> {
    pub(in crate::exec) blocks: &'r OwnBlocks,
    pub(in crate::exec) local: &'r mut [T],
    pub(in crate::exec) messages: &'r mut [&'m [T]],
}

/// The messages of a row, for the blocks at hand.
pub struct Outbox<'r, 'm, T> {
    messages: &'r mut [&'m mut [T]],
    first: usize,
}

/// The messages of a row, for the blocks at hand.
pub struct Inbox<'r, 'm, T> {
    messages: &'r mut [&'m [T]],
    first: usize,
}

impl<'m, T: Copy> PackRow<'_, 'm, T> {
    /// Calls `each` with all whole blocks, some at a time: their phase in the window, the blocks, the messages.
    ///
    /// # Panics
    /// If blocks do not hold `BLOCK` elements.
    #[inline(always)]
    pub fn blocks<const BLOCK: usize>(self, mut each: impl FnMut(usize, &[[T; BLOCK]], &mut Outbox<'_, 'm, T>)) {
        assert_eq!(self.blocks.block, BLOCK, "the loop was written for blocks of another size");
        let (blocks, _) = self.local.as_chunks::<BLOCK>();
        let together = together::<T>(self.blocks);
        let mut starts = self.blocks.starts.iter().cycle();
        for (tile, start) in blocks[..self.blocks.count].chunks(together).zip(&mut starts) {
            each(start.phase, tile, &mut Outbox { messages: &mut *self.messages, first: start.peer });
        }
    }
}

impl<'m, T: Copy> UnpackRow<'_, 'm, T> {
    /// Calls `each` with all whole blocks, some at a time: their phase in the window, the blocks, the messages.
    ///
    /// # Panics
    /// If blocks do not hold `BLOCK` elements.
    #[inline(always)]
    pub fn blocks<const BLOCK: usize>(self, mut each: impl FnMut(usize, &mut [[T; BLOCK]], &mut Inbox<'_, 'm, T>)) {
        assert_eq!(self.blocks.block, BLOCK, "the loop was written for blocks of another size");
        let (blocks, _) = self.local.as_chunks_mut::<BLOCK>();
        let together = together::<T>(self.blocks);
        let mut starts = self.blocks.starts.iter().cycle();
        for (tile, start) in blocks[..self.blocks.count].chunks_mut(together).zip(&mut starts) {
            each(start.phase, tile, &mut Inbox { messages: &mut *self.messages, first: start.peer });
        }
    }
}

/// How many blocks are alike and fit a tile: where all begin with one peer, as many as fit; otherwise each by itself.
fn together<T>(blocks: &OwnBlocks) -> usize {
    let bytes = (blocks.block * size_of::<T>()).max(1);
    if blocks.starts.len() == 1 { (TILE_BYTES / bytes).max(1) } else { 1 }
}

impl<'m, T: Copy> Outbox<'_, 'm, T> {
    /// The next `len` elements of the message `peer` places after the one that the blocks begin with.
    ///
    /// # Panics
    /// If the message is too short.
    #[inline(always)]
    pub fn share(&mut self, peer: usize, len: usize) -> &'m mut [T] {
        let message = &mut self.messages[after(self.first, peer, self.messages.len())];
        let (front, rest) = mem::take(message).split_at_mut(len);
        *message = rest;
        front
    }

    /// Appends `SHARE` elements of each block to the message `peer` places after the one that the blocks begin with;
    /// `copy` takes them out of a block.
    ///
    /// # Panics
    /// If the message is too short.
    #[inline(always)]
    pub fn put<const BLOCK: usize, const SHARE: usize>(
        &mut self,
        peer: usize,
        blocks: &[[T; BLOCK]],
        copy: impl Fn(&[T; BLOCK], &mut [T; SHARE]),
    ) {
        let share = self.share(peer, blocks.len() * SHARE);
        for (block, share) in blocks.iter().zip(share.as_chunks_mut::<SHARE>().0) {
            copy(block, share);
        }
    }
}

impl<'m, T: Copy> Inbox<'_, 'm, T> {
    /// The next `len` elements of the message `peer` places after the one that the blocks begin with.
    ///
    /// # Panics
    /// If the message is too short.
    #[inline(always)]
    pub fn share(&mut self, peer: usize, len: usize) -> &'m [T] {
        let message = &mut self.messages[after(self.first, peer, self.messages.len())];
        let (front, rest) = message.split_at(len);
        *message = rest;
        front
    }

    /// Takes `SHARE` elements for each block from the front of the message `peer` places after the one that the blocks
    /// begin with; `copy` puts them into a block.
    ///
    /// # Panics
    /// If the message is too short.
    #[inline(always)]
    pub fn take<const BLOCK: usize, const SHARE: usize>(
        &mut self,
        peer: usize,
        blocks: &mut [[T; BLOCK]],
        copy: impl Fn(&mut [T; BLOCK], &[T; SHARE]),
    ) {
        let share = self.share(peer, blocks.len() * SHARE);
        for (block, share) in blocks.iter_mut().zip(share.as_chunks::<SHARE>().0) {
            copy(block, share);
        }
    }
}

/// The peer `steps` places after `first`, around the end; `steps` is at most the number of peers.
#[inline(always)]
fn after(first: usize, steps: usize, peers: usize) -> usize {
    let peer = first + steps;
    if peer >= peers { peer - peers } else { peer }
}
