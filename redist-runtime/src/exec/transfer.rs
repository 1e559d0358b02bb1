//! The two directions of a copy between a local array and messages.

use core::mem;

/// Copies between consecutive elements of messages and given places of a local array.
///
/// Each message is consumed from its front, so a walk in message order needs no offsets into messages.
pub(super) trait Transfer {
    /// `len` neighbouring elements from `at` on.
    fn contiguous(&mut self, message: usize, at: usize, len: usize);

    /// `LEN` neighbouring elements, with a length that the compiler can turn into register moves.
    fn constant<const LEN: usize>(&mut self, message: usize, at: usize);

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

    #[inline(always)]
    fn constant<const LEN: usize>(&mut self, message: usize, at: usize) {
        put::<LEN, T>(&mut self.messages[message], &self.local[at..]);
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

    #[inline(always)]
    fn constant<const LEN: usize>(&mut self, message: usize, at: usize) {
        take::<LEN, T>(&mut self.messages[message], &mut self.local[at..]);
    }

    #[inline]
    fn strided(&mut self, message: usize, at: usize, len: usize, stride: usize) {
        let to = self.local[at..].iter_mut().step_by(stride.max(1));
        for (from, to) in take_front(&mut self.messages[message], len).iter().zip(to) {
            *to = *from;
        }
    }
}

/// Copies the first `LEN` elements of `piece` to the front of a message, and moves the message past them.
#[inline(always)]
pub(super) fn put<const LEN: usize, T: Copy>(message: &mut &mut [T], piece: &[T]) {
    let (Some((to, rest)), Some(from)) =
        (mem::take(message).split_first_chunk_mut::<LEN>(), piece.first_chunk::<LEN>())
    else {
        short()
    };
    *to = *from;
    *message = rest;
}

/// Copies `LEN` elements from the front of a message to the front of `piece`, and moves the message past them.
#[inline(always)]
pub(super) fn take<const LEN: usize, T: Copy>(message: &mut &[T], piece: &mut [T]) {
    let (Some((from, rest)), Some(to)) = (message.split_first_chunk::<LEN>(), piece.first_chunk_mut::<LEN>()) else {
        short()
    };
    *to = *from;
    *message = rest;
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

/// Programs and messages come from one plan, so this is a mistake of this crate or of a transport.
#[cold]
#[inline(never)]
fn short() -> ! {
    panic!("a message or a local array is shorter than the program says")
}
