//! What one rank packs and unpacks, for those who bring their own transport.

use super::kernels::Recipe;
use super::rank::{RankPacking, RankUnpacking};
use crate::element::{Element, bytes_of, bytes_of_mut};
use crate::program::Envelope;
use core::marker::PhantomData;

/// One rank's packing, ready to run as often as wanted.
pub struct Packing<T> {
    rank: RankPacking,
    element: PhantomData<fn(T)>,
}

/// One rank's unpacking, ready to run as often as wanted.
pub struct Unpacking<T> {
    rank: RankUnpacking,
    element: PhantomData<fn(T)>,
}

impl<T: Element> Packing<T> {
    /// Made for elements as long as a `T`.
    pub(super) fn of(rank: RankPacking) -> Self {
        Self { rank, element: PhantomData }
    }

    /// The messages that it fills, in order.
    pub fn envelopes(&self) -> &[Envelope] {
        self.rank.envelopes()
    }

    /// Elements in the rank's local array.
    pub fn local_len(&self) -> usize {
        self.rank.local_len()
    }

    /// What copies the rank's rows, and why: chosen when this was made.
    pub fn kernel(&self) -> Recipe {
        self.rank.kernel()
    }

    /// Packs the local array into the messages, each as long as its envelope says, in the envelopes' order.
    ///
    /// # Panics
    /// If `local` or a message is shorter than the program says.
    pub fn pack(&self, local: &[T], messages: &mut [&mut [T]]) {
        // SAFETY: only whole elements are written to messages: those of `local`.
        let mut messages: Vec<&mut [u8]> = messages.iter_mut().map(|to| unsafe { bytes_of_mut(to) }).collect();
        self.rank.pack(bytes_of(local), &mut messages);
    }
}

impl<T: Element> Unpacking<T> {
    /// Made for elements as long as a `T`.
    pub(super) fn of(rank: RankUnpacking) -> Self {
        Self { rank, element: PhantomData }
    }

    /// The messages that it reads, in order.
    pub fn envelopes(&self) -> &[Envelope] {
        self.rank.envelopes()
    }

    /// Elements in the rank's local array.
    pub fn local_len(&self) -> usize {
        self.rank.local_len()
    }

    /// What copies the rank's rows, and why: chosen when this was made.
    pub fn kernel(&self) -> Recipe {
        self.rank.kernel()
    }

    /// True where [`unpack`](Unpacking::unpack) with all messages is so much faster than with one at a time that it is
    /// worth waiting for all of them: where runs are short, every message touches the same cache lines.
    pub fn prefers_together(&self) -> bool {
        self.rank.prefers_together()
    }

    /// Unpacks message number `message` of the envelopes, whose elements are `data`, into the local array: all messages
    /// one by one, in any order, come to the same as [`unpack`](Unpacking::unpack). The first call sorts the program by
    /// message, and allocates for that.
    ///
    /// # Panics
    /// If there is no such message, or `local` or `data` is shorter than the program says.
    pub fn unpack_message(&self, local: &mut [T], message: usize, data: &[T]) {
        // SAFETY: only whole elements are written: those of the message.
        self.rank.unpack_message(unsafe { bytes_of_mut(local) }, message, bytes_of(data));
    }

    /// Unpacks the messages, each as long as its envelope says, into the local array; the mirror of [`Packing::pack`].
    /// Elements outside the moved section keep their values.
    ///
    /// # Panics
    /// If `local` or a message is shorter than the program says.
    pub fn unpack(&self, local: &mut [T], messages: &[&[T]]) {
        let mut messages: Vec<&[u8]> = messages.iter().map(|from| bytes_of(from)).collect();
        // SAFETY: only whole elements are written: those of the messages.
        self.rank.unpack(unsafe { bytes_of_mut(local) }, &mut messages);
    }
}
