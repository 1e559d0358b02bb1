//! The two directions of a copy between a local array and messages.

use core::mem;

/// Copies between consecutive elements of messages and given places of a local array.
///
/// Each message is consumed from its front, so a walk in message order needs no offsets into messages.
pub(super) trait Transfer {
    /// `len` neighbouring elements from `at` on.
    fn contiguous(&mut self, message: usize, at: usize, len: usize);

    /// `count` stretches of `LEN` elements, `spacing` elements from start to start; the compiler can turn copies of
    /// such a length into register moves.
    fn spaced<const LEN: usize>(&mut self, message: usize, at: usize, count: usize, spacing: usize);

    /// `len` elements `stride` apart.
    fn strided(&mut self, message: usize, at: usize, len: usize, stride: usize);
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
    fn spaced<const LEN: usize>(&mut self, message: usize, at: usize, count: usize, spacing: usize) {
        let stretches = self.local[at..at + (count - 1) * spacing + LEN].chunks(spacing);
        let (to, _) = take_front_mut(&mut self.messages[message], count * LEN).as_chunks_mut::<LEN>();
        for (to, from) in to.iter_mut().zip(stretches) {
            if let Some(from) = from.first_chunk::<LEN>() {
                *to = *from;
            }
        }
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
    fn spaced<const LEN: usize>(&mut self, message: usize, at: usize, count: usize, spacing: usize) {
        let stretches = self.local[at..at + (count - 1) * spacing + LEN].chunks_mut(spacing);
        let (from, _) = take_front(&mut self.messages[message], count * LEN).as_chunks::<LEN>();
        for (from, to) in from.iter().zip(stretches) {
            if let Some(to) = to.first_chunk_mut::<LEN>() {
                *to = *from;
            }
        }
    }

    #[inline]
    fn strided(&mut self, message: usize, at: usize, len: usize, stride: usize) {
        let to = self.local[at..].iter_mut().step_by(stride.max(1));
        for (from, to) in take_front(&mut self.messages[message], len).iter().zip(to) {
            *to = *from;
        }
    }
}

#[inline]
fn take_front<'m, T>(message: &mut &'m [T], len: usize) -> &'m [T] {
    let (front, rest) = message.split_at(len);
    *message = rest;
    front
}

#[inline]
fn take_front_mut<'m, T>(message: &mut &'m mut [T], len: usize) -> &'m mut [T] {
    let (front, rest) = mem::take(message).split_at_mut(len);
    *message = rest;
    front
}
