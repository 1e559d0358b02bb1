//! A stretch of a row that one kernel copies: the checked interface of the unsafe code in `raw/`.

use super::raw::Work;
use super::{Direction, Pack, Unpack};
use crate::exec::transfer::{take_front, take_front_mut};
use core::marker::PhantomData;
use core::ptr;

/// Messages that a kernel keeps a cursor for.
pub(in crate::exec) const MOST_PEERS: usize = 64;

/// A kernel, and what it needs of the local array and of each message.
pub(super) struct Section<D> {
    work: Work,
    /// Bytes of the local array.
    span: usize,
    /// Bytes of each message, from the first one on, around the end.
    takes: Vec<usize>,
    /// The message that the work counts from.
    first: usize,
    direction: PhantomData<D>,
}

impl<D: Direction> Section<D> {
    /// A kernel whose first message is number `first` of the row. The work must have been made for `D`, and for this
    /// processor.
    pub fn new(work: Work, first: usize) -> Self {
        let (span, takes) = (work.span(), work.takes());
        assert!(takes.len() <= MOST_PEERS, "kernels keep {MOST_PEERS} cursors");
        Self { work, span, takes, first, direction: PhantomData }
    }

    /// Bytes of the local array.
    pub fn span(&self) -> usize {
        self.span
    }

    /// The number of the message at a place among [`takes`](Section::takes).
    fn message(&self, place: usize) -> usize {
        let message = self.first + place;
        if message < self.takes.len() { message } else { message - self.takes.len() }
    }

    /// The place of a message.
    fn place(&self, message: usize) -> usize {
        if message >= self.first { message - self.first } else { message + self.takes.len() - self.first }
    }
}

impl Section<Pack> {
    /// Packs the front of `local` onto the messages of the row, and takes what it filled off them.
    ///
    /// # Panics
    /// If any of them is too short.
    pub fn pack(&self, local: &[u8], messages: &mut [&mut [u8]]) {
        assert!(self.span <= local.len(), "the local array is too short");
        let mut fronts = [ptr::null_mut(); MOST_PEERS];
        for (place, (front, bytes)) in fronts.iter_mut().zip(&self.takes).enumerate() {
            let filled = take_front_mut(&mut messages[self.message(place)], *bytes);
            *front = filled.as_mut_ptr();
        }
        let local = local.as_ptr().cast_mut();
        // SAFETY: the array has `span` bytes, and each front that was taken off a message has what the work takes of it.
        // Messages are borrowed mutably, so nothing overlaps. `Pack` reads the array only and writes to messages only;
        // the work was made for it.
        unsafe { self.work.all::<Pack>(local, &mut fronts[..self.takes.len()]) };
    }
}

impl Section<Unpack> {
    /// Unpacks the fronts of the messages of the row to the front of `local`, and takes what it read off them.
    ///
    /// # Panics
    /// If any of them is too short.
    pub fn unpack(&self, local: &mut [u8], messages: &mut [&[u8]]) {
        assert!(self.span <= local.len(), "the local array is too short");
        let mut fronts = [ptr::null_mut(); MOST_PEERS];
        for (place, (front, bytes)) in fronts.iter_mut().zip(&self.takes).enumerate() {
            let read = take_front(&mut messages[self.message(place)], *bytes);
            *front = read.as_ptr().cast_mut();
        }
        // SAFETY: as for packing; `Unpack` reads messages only and writes to the array only, which is borrowed mutably.
        unsafe { self.work.all::<Unpack>(local.as_mut_ptr(), &mut fronts[..self.takes.len()]) };
    }

    /// Unpacks the front of one message of the row, and takes what it read off it.
    ///
    /// # Panics
    /// If the array or the message is too short.
    pub fn unpack_one(&self, local: &mut [u8], number: usize, message: &mut &[u8]) {
        assert!(self.span <= local.len(), "the local array is too short");
        let place = self.place(number);
        let read = take_front(message, self.takes[place]);
        // SAFETY: as for all messages; `takes` has this place.
        unsafe { self.work.one::<Unpack>(place, local.as_mut_ptr(), read.as_ptr().cast_mut()) };
    }
}
