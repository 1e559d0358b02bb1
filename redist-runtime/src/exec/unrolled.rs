//! What the macro's unrolled loops call: one whole block of the local array at a time, piece by piece.
//!
//! Written for generated code, which is safe and knows block and pieces as constants, so that the compiler can make
//! register moves of the copies. Nothing here can go out of bounds; a wrong call panics.

use super::transfer::{put, take};
use crate::program::OwnBlocks;

/// A row of the local array to be packed.
pub struct PackRow<'r, 'm, T> {
    pub(super) blocks: &'r OwnBlocks,
    pub(super) local: &'r [T],
    pub(super) messages: &'r mut [&'m mut [T]],
}

/// A row of the local array to be unpacked.
pub struct UnpackRow<'r, 'm, T> {
    pub(super) blocks: &'r OwnBlocks,
    pub(super) local: &'r mut [T],
    pub(super) messages: &'r mut [&'m [T]],
}

/// The messages of one row, for the block at hand: each piece goes to the next.
pub struct Outbox<'r, 'm, T> {
    messages: &'r mut [&'m mut [T]],
    next: usize,
}

/// The messages of one row, for the block at hand: each piece comes from the next.
pub struct Inbox<'r, 'm, T> {
    messages: &'r mut [&'m [T]],
    next: usize,
}

impl<'m, T: Copy> PackRow<'_, 'm, T> {
    /// Calls `each` with every whole block, its phase in the window, and the messages.
    ///
    /// # Panics
    /// If blocks do not hold `BLOCK` elements.
    #[inline(always)]
    pub fn blocks<const BLOCK: usize>(self, mut each: impl FnMut(usize, &[T; BLOCK], &mut Outbox<'_, 'm, T>)) {
        assert_eq!(self.blocks.block, BLOCK, "the loop was written for blocks of another size");
        let (blocks, _) = self.local.as_chunks::<BLOCK>();
        for (block, start) in blocks[..self.blocks.count].iter().zip(self.blocks.starts.iter().cycle()) {
            each(start.phase, block, &mut Outbox { messages: &mut *self.messages, next: start.peer });
        }
    }
}

impl<'m, T: Copy> UnpackRow<'_, 'm, T> {
    /// Calls `each` with every whole block, its phase in the window, and the messages.
    ///
    /// # Panics
    /// If blocks do not hold `BLOCK` elements.
    #[inline(always)]
    pub fn blocks<const BLOCK: usize>(self, mut each: impl FnMut(usize, &mut [T; BLOCK], &mut Inbox<'_, 'm, T>)) {
        assert_eq!(self.blocks.block, BLOCK, "the loop was written for blocks of another size");
        let (blocks, _) = self.local.as_chunks_mut::<BLOCK>();
        for (block, start) in blocks[..self.blocks.count].iter_mut().zip(self.blocks.starts.iter().cycle()) {
            each(start.phase, block, &mut Inbox { messages: &mut *self.messages, next: start.peer });
        }
    }
}

impl<T: Copy> Outbox<'_, '_, T> {
    /// Appends the `LEN` elements of `block` from `offset` on to the next message.
    ///
    /// # Panics
    /// If the message or the block is too short.
    #[inline(always)]
    pub fn put<const LEN: usize>(&mut self, block: &[T], offset: usize) {
        put::<LEN, T>(&mut self.messages[self.next], &block[offset..]);
        self.next = following(self.next, self.messages.len());
    }
}

impl<T: Copy> Inbox<'_, '_, T> {
    /// Moves `LEN` elements from the front of the next message to `block`, from `offset` on.
    ///
    /// # Panics
    /// If the message or the block is too short.
    #[inline(always)]
    pub fn take<const LEN: usize>(&mut self, block: &mut [T], offset: usize) {
        take::<LEN, T>(&mut self.messages[self.next], &mut block[offset..]);
        self.next = following(self.next, self.messages.len());
    }
}

#[inline(always)]
fn following(peer: usize, peers: usize) -> usize {
    if peer + 1 == peers { 0 } else { peer + 1 }
}
