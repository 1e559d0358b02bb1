//! The two directions of a copy between a local array and messages.

use core::mem;
use core::ops::Range;

/// Copies between consecutive elements of messages and given places of a local array.
///
/// Each message is consumed from its front, so a walk in message order needs no offsets into messages.
pub(super) trait Transfer {
    /// `len` neighbouring elements from `at` on.
    fn contiguous(&mut self, message: usize, at: usize, len: usize);

    /// `count` stretches of `LEN` elements, evenly spaced on both sides; the message is not consumed. The compiler can
    /// turn copies of such a length into register moves.
    fn lattice<const LEN: usize>(&mut self, message: Spaced, local: Spaced, count: usize);

    /// Consumes `len` elements of a message.
    fn skip(&mut self, message: usize, len: usize);

    /// `len` elements `stride` apart.
    fn strided(&mut self, message: usize, at: usize, len: usize, stride: usize);
}

/// Where evenly spaced stretches are: in which message (or, for the local array, none), from which element on, and how
/// far from start to start.
#[derive(Clone, Copy)]
pub(super) struct Spaced {
    pub message: usize,
    pub at: usize,
    pub spacing: usize,
}

impl Spaced {
    /// The elements that `count` stretches of `len` lie in.
    fn span(&self, count: usize, len: usize) -> Range<usize> {
        self.at..self.at + (count - 1) * self.spacing + len
    }
}

/// Local array to messages.
pub(super) struct Packer<'r, 'm, T> {
    pub local: &'r [T],
    pub messages: &'r mut [&'m mut [T]],
}

/// Messages to local array.
pub(super) struct Unpacker<'r, 'm, T> {
    pub local: &'r mut [T],
    pub messages: &'r mut [&'m [T]],
}

impl<'m, T: Copy> Transfer for Packer<'_, 'm, T> {
    #[inline]
    fn contiguous(&mut self, message: usize, at: usize, len: usize) {
        take_front_mut(&mut self.messages[message], len).copy_from_slice(&self.local[at..at + len]);
    }

    #[inline]
    fn lattice<const LEN: usize>(&mut self, message: Spaced, local: Spaced, count: usize) {
        let to = &mut self.messages[message.message][message.span(count, LEN)];
        let from = &self.local[local.span(count, LEN)];
        copy_lattice::<LEN, T>(from, local.spacing, to, message.spacing);
    }

    #[inline]
    fn skip(&mut self, message: usize, len: usize) {
        take_front_mut(&mut self.messages[message], len);
    }

    #[inline]
    fn strided(&mut self, message: usize, at: usize, len: usize, stride: usize) {
        let from = self.local[at..].iter().step_by(stride.max(1));
        for (to, from) in take_front_mut(&mut self.messages[message], len).iter_mut().zip(from) {
            *to = *from;
        }
    }
}

impl<'m, T: Copy> Transfer for Unpacker<'_, 'm, T> {
    #[inline]
    fn contiguous(&mut self, message: usize, at: usize, len: usize) {
        self.local[at..at + len].copy_from_slice(take_front(&mut self.messages[message], len));
    }

    #[inline]
    fn lattice<const LEN: usize>(&mut self, message: Spaced, local: Spaced, count: usize) {
        let from = &self.messages[message.message][message.span(count, LEN)];
        let to = &mut self.local[local.span(count, LEN)];
        copy_lattice::<LEN, T>(from, message.spacing, to, local.spacing);
    }

    #[inline]
    fn skip(&mut self, message: usize, len: usize) {
        take_front(&mut self.messages[message], len);
    }

    #[inline]
    fn strided(&mut self, message: usize, at: usize, len: usize, stride: usize) {
        let to = self.local[at..].iter_mut().step_by(stride.max(1));
        for (from, to) in take_front(&mut self.messages[message], len).iter().zip(to) {
            *to = *from;
        }
    }
}

/// All stretches but the last are followed by a whole gap, so that their chunks have one length and the loop no
/// checks. A side without gaps gets a loop of its own: its steps are constants, too.
#[inline(always)]
fn copy_lattice<const LEN: usize, T: Copy>(from: &[T], from_spacing: usize, to: &mut [T], to_spacing: usize) {
    assert!(from_spacing >= LEN && to_spacing >= LEN, "stretches must not overlap");
    if to_spacing == LEN {
        for (to, from) in to.as_chunks_mut::<LEN>().0.iter_mut().zip(from.chunks_exact(from_spacing)) {
            copy_front::<LEN, T>(from, to);
        }
    } else if from_spacing == LEN {
        for (from, to) in from.as_chunks::<LEN>().0.iter().zip(to.chunks_exact_mut(to_spacing)) {
            copy_front::<LEN, T>(from, to);
        }
    } else {
        for (from, to) in from.chunks_exact(from_spacing).zip(to.chunks_exact_mut(to_spacing)) {
            copy_front::<LEN, T>(from, to);
        }
    }
    if let (Some(to), Some(from)) = (to.last_chunk_mut::<LEN>(), from.last_chunk::<LEN>()) {
        *to = *from;
    }
}

#[inline(always)]
fn copy_front<const LEN: usize, T: Copy>(from: &[T], to: &mut [T]) {
    to[..LEN].copy_from_slice(&from[..LEN]);
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
