//! What the macro's unrolled loops call: many blocks of the local array at a time, one message
//! after the other.
//!
//! Written for generated code, which is safe and knows blocks and pieces as constants, so that the
//! compiler can make register moves of the copies. Inside a tile of the local array that fits the
//! first cache, all that belongs to one message is copied before the next message's turn: cursors
//! move once a tile, not once a piece. Nothing here can go out of bounds; a wrong call panics.

use crate::element::Element;
use crate::program::OwnBlocks;
use core::mem;

pub use crate::element::Stored;

/// Bytes of the local array that are dealt with at a time; well inside any first-level cache.
const TILE_BYTES: usize = 16 * 1024;

/// A row of the local array to be packed.
pub struct PackRow<'r, 'm> {
    pub(in crate::exec) blocks: &'r OwnBlocks,
    /// Bytes of an element.
    pub(in crate::exec) width: usize,
    pub(in crate::exec) local: &'r [u8],
    pub(in crate::exec) messages: &'r mut [&'m mut [u8]],
}

/// A row of the local array to be unpacked.
pub struct UnpackRow<'r, 'm> {
    pub(in crate::exec) blocks: &'r OwnBlocks,
    /// Bytes of an element.
    pub(in crate::exec) width: usize,
    pub(in crate::exec) local: &'r mut [u8],
    pub(in crate::exec) messages: &'r mut [&'m [u8]],
}

/// The messages of a row, for the blocks at hand.
pub struct Outbox<'r, 'm> {
    messages: &'r mut [&'m mut [u8]],
    first: usize,
}

/// The messages of a row, for the blocks at hand.
pub struct Inbox<'r, 'm> {
    messages: &'r mut [&'m [u8]],
    first: usize,
}

impl<'m> PackRow<'_, 'm> {
    /// Calls `each` with all whole blocks, some at a time: their phase in the window, the blocks,
    /// the messages.
    ///
    /// # Panics
    /// If blocks do not hold `BLOCK` elements, or these are not as long as a `T`.
    #[inline(always)]
    pub fn blocks<T: Element, const BLOCK: usize>(
        self,
        mut each: impl FnMut(usize, &[[Stored<T>; BLOCK]], &mut Outbox<'_, 'm>),
    ) {
        check::<T>(self.blocks, self.width, BLOCK);
        let (blocks, _) = Stored::from_bytes(self.local).as_chunks::<BLOCK>();
        let together = together::<T>(self.blocks);
        let mut starts = self.blocks.starts.iter().cycle();
        for (tile, start) in blocks[..self.blocks.count].chunks(together).zip(&mut starts) {
            each(
                start.phase,
                tile,
                &mut Outbox { messages: &mut *self.messages, first: start.peer },
            );
        }
    }
}

impl<'m> UnpackRow<'_, 'm> {
    /// Calls `each` with all whole blocks, some at a time: their phase in the window, the blocks,
    /// the messages.
    ///
    /// # Panics
    /// If blocks do not hold `BLOCK` elements, or these are not as long as a `T`.
    #[inline(always)]
    pub fn blocks<T: Element, const BLOCK: usize>(
        self,
        mut each: impl FnMut(usize, &mut [[Stored<T>; BLOCK]], &mut Inbox<'_, 'm>),
    ) {
        check::<T>(self.blocks, self.width, BLOCK);
        let (blocks, _) = Stored::from_bytes_mut(self.local).as_chunks_mut::<BLOCK>();
        let together = together::<T>(self.blocks);
        let mut starts = self.blocks.starts.iter().cycle();
        for (tile, start) in blocks[..self.blocks.count].chunks_mut(together).zip(&mut starts) {
            each(
                start.phase,
                tile,
                &mut Inbox { messages: &mut *self.messages, first: start.peer },
            );
        }
    }
}

fn check<T>(blocks: &OwnBlocks, width: usize, block: usize) {
    assert_eq!(blocks.block, block, "the loop was written for blocks of another size");
    assert_eq!(width, size_of::<T>(), "the loop was written for elements of another size");
}

/// How many blocks are alike and fit a tile: where all begin with one peer, as many as fit;
/// otherwise each by itself.
fn together<T>(blocks: &OwnBlocks) -> usize {
    let bytes = (blocks.block * size_of::<T>()).max(1);
    if blocks.starts.len() == 1 { (TILE_BYTES / bytes).max(1) } else { 1 }
}

impl<'m> Outbox<'_, 'm> {
    /// The next `len` elements of the message `peer` places after the one that the blocks begin
    /// with.
    ///
    /// # Panics
    /// If the message is too short.
    #[inline(always)]
    pub fn share<T: Element>(&mut self, peer: usize, len: usize) -> &'m mut [Stored<T>] {
        let message = &mut self.messages[after(self.first, peer, self.messages.len())];
        let (front, rest) = mem::take(message).split_at_mut(len * size_of::<T>());
        *message = rest;
        Stored::from_bytes_mut(front)
    }

    /// Appends `SHARE` elements of each block to the message `peer` places after the one that the
    /// blocks begin with; `copy` takes them out of a block.
    ///
    /// # Panics
    /// If the message is too short.
    #[inline(always)]
    pub fn put<T: Element, const BLOCK: usize, const SHARE: usize>(
        &mut self,
        peer: usize,
        blocks: &[[Stored<T>; BLOCK]],
        copy: impl Fn(&[Stored<T>; BLOCK], &mut [Stored<T>; SHARE]),
    ) {
        let share = self.share(peer, blocks.len() * SHARE);
        for (block, share) in blocks.iter().zip(share.as_chunks_mut::<SHARE>().0) {
            copy(block, share);
        }
    }
}

impl<'m> Inbox<'_, 'm> {
    /// The next `len` elements of the message `peer` places after the one that the blocks begin
    /// with.
    ///
    /// # Panics
    /// If the message is too short.
    #[inline(always)]
    pub fn share<T: Element>(&mut self, peer: usize, len: usize) -> &'m [Stored<T>] {
        let message = &mut self.messages[after(self.first, peer, self.messages.len())];
        let (front, rest) = message.split_at(len * size_of::<T>());
        *message = rest;
        Stored::from_bytes(front)
    }

    /// Takes `SHARE` elements for each block from the front of the message `peer` places after the
    /// one that the blocks begin with; `copy` puts them into a block.
    ///
    /// # Panics
    /// If the message is too short.
    #[inline(always)]
    pub fn take<T: Element, const BLOCK: usize, const SHARE: usize>(
        &mut self,
        peer: usize,
        blocks: &mut [[Stored<T>; BLOCK]],
        copy: impl Fn(&mut [Stored<T>; BLOCK], &[Stored<T>; SHARE]),
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
