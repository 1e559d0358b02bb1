//! The two directions of a copy between a local array and messages. Numbers are in elements, slices
//! are bytes.

use super::width::Width;
use core::mem;
use core::ops::Range;

/// Copies between consecutive elements of messages and given places of a local array.
///
/// Each message is consumed from its front, so a walk in message order needs no offsets into
/// messages.
pub(super) trait Transfer {
    /// `len` neighbouring elements from `at` on.
    fn contiguous(&mut self, message: usize, at: usize, len: usize);

    /// `count` runs of `LEN` elements, evenly spaced on both sides; the message is not consumed.
    /// The compiler turns copies of such a length into register moves.
    fn spaced<const LEN: usize>(&mut self, message: Spaced, local: Spaced, count: usize);

    /// Consumes `len` elements of a message.
    fn skip(&mut self, message: usize, len: usize);

    /// `len` elements `stride` apart.
    fn strided(&mut self, message: usize, at: usize, len: usize, stride: usize);
}

/// The places of evenly spaced runs: the message (ignored for the local array), the first element,
/// and the distance from start to start.
#[derive(Clone, Copy)]
pub(super) struct Spaced {
    pub message: usize,
    pub at: usize,
    pub spacing: usize,
}

impl Spaced {
    /// The same in bytes.
    #[inline(always)]
    fn bytes(self, width: impl Width) -> Self {
        Self { at: self.at * width.bytes(), spacing: self.spacing * width.bytes(), ..self }
    }

    /// The range that `count` runs of `len` lie in.
    fn span(&self, count: usize, len: usize) -> Range<usize> {
        self.at..self.at + (count - 1) * self.spacing + len
    }
}

/// Where more of a message comes from, while it is unpacked.
pub(super) trait Refill<'m> {
    /// Replaces what is `left` of a message by as much of it as there is now, at least `bytes`. False
    /// where that will never be.
    fn refill(&mut self, message: usize, left: &mut &'m [u8], bytes: usize) -> bool;
}

/// All of every message is there already.
pub(super) struct Whole;

impl<'m> Refill<'m> for Whole {
    /// What is too short is found out by what reads it.
    fn refill(&mut self, _: usize, _: &mut &'m [u8], _: usize) -> bool {
        true
    }
}

/// Local array to messages, in bytes.
pub(super) struct Packer<'r, 'm, W> {
    pub local: &'r [u8],
    pub messages: &'r mut [&'m mut [u8]],
    pub width: W,
}

/// Messages to local array, in bytes.
pub(super) struct Unpacker<'r, 'm, W> {
    pub local: &'r mut [u8],
    pub messages: &'r mut [&'m [u8]],
    pub width: W,
}

impl<W: Width> Transfer for Packer<'_, '_, W> {
    #[inline]
    fn contiguous(&mut self, message: usize, at: usize, len: usize) {
        let (at, len) = (at * self.width.bytes(), len * self.width.bytes());
        take_front_mut(&mut self.messages[message], len).copy_from_slice(&self.local[at..at + len]);
    }

    #[inline]
    fn spaced<const LEN: usize>(&mut self, message: Spaced, local: Spaced, count: usize) {
        let (message, local) = (message.bytes(self.width), local.bytes(self.width));
        let len = LEN * self.width.bytes();
        let to = &mut self.messages[message.message][message.span(count, len)];
        copy_spaced(len, &self.local[local.span(count, len)], local.spacing, to, message.spacing);
    }

    #[inline]
    fn skip(&mut self, message: usize, len: usize) {
        take_front_mut(&mut self.messages[message], len * self.width.bytes());
    }

    #[inline]
    fn strided(&mut self, message: usize, at: usize, len: usize, stride: usize) {
        let to = take_front_mut(&mut self.messages[message], len * self.width.bytes());
        self.width.gather(&self.local[at * self.width.bytes()..], stride, to);
    }
}

impl<W: Width> Transfer for Unpacker<'_, '_, W> {
    #[inline]
    fn contiguous(&mut self, message: usize, at: usize, len: usize) {
        let (at, len) = (at * self.width.bytes(), len * self.width.bytes());
        self.local[at..at + len].copy_from_slice(take_front(&mut self.messages[message], len));
    }

    #[inline]
    fn spaced<const LEN: usize>(&mut self, message: Spaced, local: Spaced, count: usize) {
        let (message, local) = (message.bytes(self.width), local.bytes(self.width));
        let len = LEN * self.width.bytes();
        let from = &self.messages[message.message][message.span(count, len)];
        copy_spaced(
            len,
            from,
            message.spacing,
            &mut self.local[local.span(count, len)],
            local.spacing,
        );
    }

    #[inline]
    fn skip(&mut self, message: usize, len: usize) {
        take_front(&mut self.messages[message], len * self.width.bytes());
    }

    #[inline]
    fn strided(&mut self, message: usize, at: usize, len: usize, stride: usize) {
        let from = take_front(&mut self.messages[message], len * self.width.bytes());
        self.width.scatter(from, &mut self.local[at * self.width.bytes()..], stride);
    }
}

/// Copies runs of `len` bytes, a constant after inlining where the width is one.
///
/// All runs but the last are followed by a whole gap, so that their chunks have one length and the
/// loop no bounds checks. A side without gaps gets a loop of its own with constant steps.
#[inline(always)]
fn copy_spaced(len: usize, from: &[u8], from_spacing: usize, to: &mut [u8], to_spacing: usize) {
    assert!(from_spacing >= len && to_spacing >= len, "stretches must not overlap");
    if to_spacing == len {
        for (to, from) in to.chunks_exact_mut(len).zip(from.chunks_exact(from_spacing)) {
            to.copy_from_slice(&from[..len]);
        }
    } else if from_spacing == len {
        for (from, to) in from.chunks_exact(len).zip(to.chunks_exact_mut(to_spacing)) {
            to[..len].copy_from_slice(from);
        }
    } else {
        for (from, to) in from.chunks_exact(from_spacing).zip(to.chunks_exact_mut(to_spacing)) {
            to[..len].copy_from_slice(&from[..len]);
        }
    }
    let (first_from, first_to) = (from.len() - len, to.len() - len);
    to[first_to..].copy_from_slice(&from[first_from..]);
}

#[inline]
pub(super) fn take_front<'m, T>(message: &mut &'m [T], len: usize) -> &'m [T] {
    let (front, rest) = message.split_at(len);
    *message = rest;
    front
}

#[inline]
pub(super) fn take_front_mut<'m, T>(message: &mut &'m mut [T], len: usize) -> &'m mut [T] {
    let (front, rest) = mem::take(message).split_at_mut(len);
    *message = rest;
    front
}
