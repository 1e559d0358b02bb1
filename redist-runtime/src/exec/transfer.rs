//! Copies between messages and a local array, or a function of the caller, which receives runs with
//! their places in the local array. Numbers are in elements, slices are bytes.

use super::direct::{copy_stored, copy_strided};
use super::with_const::with_const;
use crate::cache::{Stores, copy_slice};
use crate::program::{Spacing, StridedCopy};
use crate::transport::Target;
use core::mem;

/// Source of the rest of a message during unpacking. Replaces the bytes that are left of a message by
/// all that have arrived, at least as many as asked for. Returns `false` if none arrive.
pub(super) type Refill<'r, 'm> = dyn FnMut(usize, &mut &'m [u8], usize) -> bool + 'r;

/// A [`Refill`] of whole messages.
pub(super) fn whole(_: usize, _: &mut &[u8], _: usize) -> bool {
    true
}

/// Returns a function that copies runs of a local array to the front of a message, as if the message
/// were their source, and then consumes some elements of it. So a walk in message order needs no
/// offsets.
pub(super) fn packer<'r, 'm>(
    local: &'r [u8],
    messages: &'r mut [&'m mut [u8]],
    width: usize,
) -> impl FnMut(usize, StridedCopy, usize) + use<'r, 'm> {
    move |message, runs, len| {
        copy_runs(local, messages[message], runs.reversed(), width);
        take_front_mut(&mut messages[message], len * width);
    }
}

/// Copies runs: a row of runs of a common length by register moves, any other single run by
/// `memcpy`.
#[inline]
fn copy_runs(from: &[u8], to: &mut [u8], runs: StridedCopy, width: usize) {
    let StridedCopy { source, destination, len, inner, outer } = runs;
    if outer.count != 1 || inner.count == 0 {
        return copy_strided(from, to, runs, width);
    }
    let (count, bytes) = (inner.count, len * width);
    let (read, written) = (&from[source * width..], &mut to[destination * width..]);
    with_const!(
        bytes,
        BYTES in [1 2 3 4 6 8 10 12 16 24 32] =>
            copy_spaced::<BYTES>((read, inner.source), (written, inner.destination), (count, width)),
        else match count {
            1 => copy_slice(&read[..bytes], &mut written[..bytes]),
            _ => copy_strided(from, to, runs, width),
        }
    )
}

/// Runs from which a loop without bounds checks repays its start-up.
const MIN_CHUNKS: usize = 16;

/// Copies a row of `count` runs of `BYTES` bytes, at least one.
///
/// A whole gap follows all runs but the last, so their chunks have one length and the loop needs no
/// bounds checks. A side without gaps gets a loop of its own with constant steps. A function of its
/// own, because its caller has few registers left. Spacings are products, because compilers do not
/// unroll loops whose step may be a parameter 1.
#[inline(never)]
fn copy_spaced<const BYTES: usize>(
    (from, source): (&[u8], usize),
    (to, destination): (&mut [u8], usize),
    (count, width): (usize, usize),
) {
    let (last, from_spacing, to_spacing) = (count - 1, source * width, destination * width);
    let from = &from[..last * from_spacing + BYTES];
    let to = &mut to[..last * to_spacing + BYTES];
    if last < MIN_CHUNKS && to_spacing == BYTES {
        for (run, to) in to.chunks_exact_mut(BYTES).enumerate() {
            to.copy_from_slice(&from[run * from_spacing..][..BYTES]);
        }
        return;
    }
    if last < MIN_CHUNKS {
        for run in 0..=last {
            to[run * to_spacing..][..BYTES].copy_from_slice(&from[run * from_spacing..][..BYTES]);
        }
        return;
    }
    assert!(from_spacing >= BYTES && to_spacing >= BYTES, "runs must not overlap");
    if to_spacing == BYTES {
        for (to, from) in to.chunks_exact_mut(BYTES).zip(from.chunks_exact(from_spacing)) {
            to.copy_from_slice(&from[..BYTES]);
        }
    } else if from_spacing == BYTES {
        for (from, to) in from.chunks_exact(BYTES).zip(to.chunks_exact_mut(to_spacing)) {
            to[..BYTES].copy_from_slice(from);
        }
    } else {
        for (from, to) in from.chunks_exact(from_spacing).zip(to.chunks_exact_mut(to_spacing)) {
            to[..BYTES].copy_from_slice(&from[..BYTES]);
        }
    }
    let (from, to) = (&from[last * from_spacing..], &mut to[last * to_spacing..]);
    to.copy_from_slice(&from[..BYTES]);
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

/// Receives runs of a message, or of another rank's array.
pub(super) type Visit<'a> = dyn FnMut(&[u8], StridedCopy) + 'a;

/// The receiver of a message's elements.
pub(super) enum UnpackTo<'a> {
    /// The rank's local array.
    Array(&'a mut [u8]),
    /// A function of the caller.
    Function(&'a mut Visit<'a>),
}

impl<'a> UnpackTo<'a> {
    pub fn new(function: Option<&'a mut Visit<'_>>, target: &'a mut Target<'_>) -> Self {
        match function {
            Some(visit) => UnpackTo::Function(visit),
            None => UnpackTo::Array(target.bytes_mut()),
        }
    }

    pub fn put(&mut self, from: &[u8], runs: StridedCopy, width: usize) {
        self.put_stored(from, runs, (width, Stores::Streamed));
    }

    /// Copies runs, and stores long ones to a large array as the last argument says.
    pub fn put_stored(&mut self, from: &[u8], runs: StridedCopy, (width, stores): (usize, Stores)) {
        match self {
            UnpackTo::Array(local) => copy_stored(from, local, runs, (width, stores)),
            UnpackTo::Function(visit) => visit_strided(*visit, from, runs, width),
        }
    }
}

/// Copies from the fronts of messages, and consumes them.
pub(super) struct Unpacker<'r, 'm, 't> {
    pub to: &'r mut UnpackTo<'t>,
    /// Bytes of each message that are still to copy.
    pub messages: &'r mut [&'m [u8]],
    pub refill: &'r mut Refill<'r, 'm>,
    /// Bytes of an element.
    pub width: usize,
    /// `true` once a message has ended early; nothing is copied then.
    pub is_over: bool,
}

impl Unpacker<'_, '_, '_> {
    /// Returns `true` if the next `len` elements of a message are there, and none has ended early.
    pub fn has(&mut self, message: usize, len: usize) -> bool {
        let (left, bytes) = (&mut self.messages[message], len * self.width);
        self.is_over |= !self.is_over && left.len() < bytes && !(self.refill)(message, left, bytes);
        !self.is_over
    }

    /// Copies runs whose source is the front of a message, and then consumes `len` elements of it.
    #[inline]
    pub fn copy(&mut self, message: usize, runs: StridedCopy, len: usize) {
        match &mut *self.to {
            UnpackTo::Array(local) => copy_runs(self.messages[message], local, runs, self.width),
            to => to.put(self.messages[message], runs, self.width),
        }
        self.skip(message, len);
    }

    #[inline]
    pub fn skip(&mut self, message: usize, len: usize) {
        take_front(&mut self.messages[message], len * self.width);
    }
}

/// Bytes of elements transposed before a function receives them.
const TRANSPOSED_BYTES: usize = 16 << 10;

/// Visits single elements whose rows are message columns and contiguous in the local array.
/// Transposes some rows first, to read each cache line of the message once.
fn visit_across(visit: &mut Visit<'_>, message: &[u8], copies: StridedCopy, width: usize) {
    let mut transposed = [0; TRANSPOSED_BYTES];
    let StridedCopy { inner, outer, .. } = copies;
    let rows = TRANSPOSED_BYTES / (inner.count * width).max(1);
    if rows < 2 {
        return visit(message, copies);
    }
    for first in (0..outer.count).step_by(rows) {
        let count = rows.min(outer.count - first);
        let to_rows = StridedCopy {
            source: copies.source + first * outer.source,
            destination: 0,
            outer: Spacing { count, destination: inner.count, ..outer },
            ..copies
        };
        copy_strided(message, &mut transposed, to_rows, width);
        let from_rows = StridedCopy {
            source: 0,
            destination: copies.destination + first * outer.destination,
            len: inner.count,
            inner: Spacing::ONE,
            outer: Spacing { count, source: inner.count, destination: outer.destination },
        };
        visit(&transposed, from_rows);
    }
}

fn visit_strided(visit: &mut Visit<'_>, from: &[u8], copies: StridedCopy, width: usize) {
    let StridedCopy { len, inner, outer, .. } = copies;
    if len == 0 || inner.count == 0 {
        return;
    }
    let is_across = len == 1 && outer.source == 1 && outer.count > 1;
    match is_across && inner.source > 1 && inner.destination == 1 {
        true => visit_across(visit, from, copies, width),
        false => visit(from, copies),
    }
}
