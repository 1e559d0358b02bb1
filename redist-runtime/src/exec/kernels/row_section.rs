//! A stretch of a row that one kernel copies: the checked interface of the unsafe code in `raw/`.

use super::raw::Work;
use super::{CopyDirection, FromMessages, ToMessages};
use crate::exec::calls::CopiedBytes;
use crate::exec::transfer::{take_front, take_front_mut};
use crate::program::MAX_PEERS;
use core::marker::PhantomData;
use core::ptr;

/// Messages whose cursors are cheap to clear for each row.
const FEW_PEERS: usize = 8;

/// One kernel's stretch of a row: its bytes in the local array and in each message.
pub(super) struct RowSection<D> {
    work: Work,
    /// Bytes of the stretch in the local array.
    span: usize,
    /// Bytes of each message, cyclically from message `first` on.
    takes: Vec<usize>,
    /// Index of the row's message that the kernel numbers 0.
    first: usize,
    direction: PhantomData<D>,
}

impl<D: CopyDirection> RowSection<D> {
    /// Wraps a kernel whose first message is `first` of the row. `work` must be for `D` and this
    /// processor. All callers (`build.rs`) ensure it by this `D`, and by detected
    /// [`Vectors`](super::Vectors).
    pub fn new(work: Work, first: usize) -> Self {
        let takes = work.takes();
        let span = takes.iter().fold(0, |span: usize, take| span.saturating_add(*take));
        assert!(takes.len() <= MAX_PEERS, "kernels keep {MAX_PEERS} cursors");
        Self { work, span, takes, first, direction: PhantomData }
    }

    pub fn span(&self) -> usize {
        self.span
    }

    pub fn takes_of_messages(&self) -> impl Iterator<Item = usize> {
        (0..self.takes.len()).map(|message| self.takes[self.place(message)])
    }

    fn place(&self, message: usize) -> usize {
        if message >= self.first {
            message - self.first
        } else {
            message + self.takes.len() - self.first
        }
    }

    /// Copies between `local` and the row's messages. `take` advances a message by some bytes and
    /// returns their start. Panics if `take` does.
    ///
    /// # Safety
    /// `local`, for `span` bytes, and the results of `take` may be read or written, as `D` says,
    /// and do not overlap.
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

    /// # Safety
    /// The contract of [`copy`](Self::copy) holds.
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
        // SAFETY: the caller vouches for `span` bytes, and for the bytes taken off each message.
        // Their number and lengths are given by `takes`, which `new` has from the work, made for
        // `D` and this processor.
        unsafe { self.work.all::<D>(local, &mut cursors[..self.takes.len()]) };
    }
}

impl RowSection<ToMessages> {
    /// Packs the front of `local` onto the row's messages, and advances. Panics if one is short.
    pub fn pack(&self, local: &[u8], messages: &mut [&mut [u8]], copied: &mut CopiedBytes) {
        assert!(self.span <= local.len(), "the local array is too short");
        let take = |message: &mut &mut [u8], bytes| take_front_mut(message, bytes).as_mut_ptr();
        // SAFETY: the array has `span` bytes, as checked above, and is only read, because `D` is
        // `ToMessages`. Messages are borrowed exclusively, so they may be written and overlap
        // neither it nor each other.
        unsafe { self.copy(local.as_ptr().cast_mut(), messages, take) };
        *self.work.counter(copied) += self.span;
    }
}

impl RowSection<FromMessages> {
    pub fn unpack(&self, local: &mut [u8], messages: &mut [&[u8]], copied: &mut CopiedBytes) {
        assert!(self.span <= local.len(), "the local array is too short");
        let take = |message: &mut &[u8], bytes| take_front(message, bytes).as_ptr().cast_mut();
        // SAFETY: the array has `span` bytes, as checked above, and is borrowed exclusively, so it
        // may be written and overlaps no message. Messages are only read, as `D` is `FromMessages`.
        unsafe { self.copy(local.as_mut_ptr(), messages, take) };
        *self.work.counter(copied) += self.span;
    }
}
