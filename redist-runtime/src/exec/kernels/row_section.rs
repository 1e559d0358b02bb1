//! A stretch of a row that one kernel copies: the checked interface of the unsafe code in `raw/`.

use super::raw::Work;
use super::{CopyDirection, FromMessages, ToMessages};
use crate::exec::calls::CopiedBytes;
use crate::exec::transfer::{take_front, take_front_mut};
use core::marker::PhantomData;
use core::ptr;

/// Messages for which cursors take little room, which is cleared for each row.
const FEW_PEERS: usize = 8;

/// Largest number of messages of a kernel.
pub(in crate::exec) const MAX_PEERS: usize = 64;

/// A kernel with its extent in the local array and in each message.
pub(super) struct RowSection<D> {
    work: Work,
    /// Bytes of the local array.
    span: usize,
    /// Bytes of each message, from message `first` on, cyclically.
    takes: Vec<usize>,
    /// The message that the work numbers 0.
    first: usize,
    direction: PhantomData<D>,
}

impl<D: CopyDirection> RowSection<D> {
    /// A kernel whose first message is number `first` of the row. `work` was made for `D` and for
    /// this processor, as all callers do (`build.rs`): `D` is the type that they make it with, and
    /// the vectors are those that [`Vectors`](super::Vectors) has found.
    pub fn new(work: Work, first: usize) -> Self {
        let (span, takes) = (work.span(), work.takes());
        assert!(takes.len() <= MAX_PEERS, "kernels keep {MAX_PEERS} cursors");
        Self { work, span, takes, first, direction: PhantomData }
    }

    /// Bytes of the local array.
    pub fn span(&self) -> usize {
        self.span
    }

    /// Bytes of each message of the row.
    pub fn takes_of_messages(&self) -> impl Iterator<Item = usize> {
        (0..self.takes.len()).map(|message| self.takes[self.place(message)])
    }

    /// The place of a message.
    fn place(&self, message: usize) -> usize {
        if message >= self.first {
            message - self.first
        } else {
            message + self.takes.len() - self.first
        }
    }

    /// Copies between `local` and the messages of the row, each of which `take` advances by some
    /// bytes and returns the start of these.
    ///
    /// # Panics
    /// If `take` does.
    ///
    /// # Safety
    /// `local` and what `take` returns may be read or written, as `D` says, and do not overlap:
    /// `local` for `span` bytes.
    unsafe fn copy<M>(
        &self,
        local: *mut u8,
        messages: &mut [M],
        take: impl Fn(&mut M, usize) -> *mut u8,
    ) {
        // SAFETY: this function's contract is that of both.
        unsafe {
            match self.takes.len() {
                ..=FEW_PEERS => self.copy_with::<M, FEW_PEERS>(local, messages, take),
                _ => self.copy_with::<M, MAX_PEERS>(local, messages, take),
            }
        }
    }

    /// The same, with room for that many cursors.
    ///
    /// # Safety
    /// As [`copy`](Self::copy).
    #[inline]
    unsafe fn copy_with<M, const ROOM: usize>(
        &self,
        local: *mut u8,
        messages: &mut [M],
        take: impl Fn(&mut M, usize) -> *mut u8,
    ) {
        let mut cursors = [ptr::null_mut(); ROOM];
        for (number, message) in messages[..self.takes.len()].iter_mut().enumerate() {
            let place = self.place(number);
            cursors[place] = take(message, self.takes[place]);
        }
        // SAFETY: the caller vouches for `span` bytes, and for what was taken off each message, of
        // which there are as many as in `takes`, each with as many bytes; `new` has both numbers
        // from the work, which was made for `D` and this processor.
        unsafe { self.work.all::<D>(local, &mut cursors[..self.takes.len()]) };
    }
}

impl RowSection<ToMessages> {
    /// Packs the front of `local` onto the messages of the row, and advances them.
    ///
    /// # Panics
    /// If any of them is too short.
    pub fn pack(&self, local: &[u8], messages: &mut [&mut [u8]], copied: &mut CopiedBytes) {
        assert!(self.span <= local.len(), "the local array is too short");
        let take = |message: &mut &mut [u8], bytes| take_front_mut(message, bytes).as_mut_ptr();
        // SAFETY: the array has `span` bytes, as checked above, and is only read, since `D` is
        // `ToMessages`. Messages are borrowed exclusively, so that they may be written and do not
        // overlap it or each other.
        unsafe { self.copy(local.as_ptr().cast_mut(), messages, take) };
        *self.work.counter(copied) += self.span;
    }
}

impl RowSection<FromMessages> {
    /// Unpacks the fronts of the messages of the row to the front of `local`, and advances them.
    ///
    /// # Panics
    /// If any of them is too short.
    pub fn unpack(&self, local: &mut [u8], messages: &mut [&[u8]], copied: &mut CopiedBytes) {
        assert!(self.span <= local.len(), "the local array is too short");
        let take = |message: &mut &[u8], bytes| take_front(message, bytes).as_ptr().cast_mut();
        // SAFETY: the array has `span` bytes, as checked above, and is borrowed exclusively, so that
        // it may be written and overlaps no message. Messages are only read, since `D` is
        // `FromMessages`.
        unsafe { self.copy(local.as_mut_ptr(), messages, take) };
        *self.work.counter(copied) += self.span;
    }
}
