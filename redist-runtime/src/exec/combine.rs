//! Targets of unpacking: the local array, or a function of the caller, which receives runs with
//! their places in the local array. Compiled once: a [`Visit`] hides the element type.

use super::direct::copy_strided;
use super::transfer::{Refill, copy_runs, take_front};
use crate::program::{Spacing, StridedCopy};
use crate::transport::Target;

/// Receives runs of a message, or of another rank's array.
pub(super) type Visit<'a> = dyn FnMut(&[u8], StridedCopy) + 'a;

pub(super) enum UnpackTo<'a> {
    Array(&'a mut [u8]),
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
        match self {
            UnpackTo::Array(local) => copy_strided(from, local, runs, width),
            UnpackTo::Function(visit) => visit_strided(*visit, from, runs, width),
        }
    }
}

pub(super) struct Unpacker<'r, 'm, 't> {
    pub to: &'r mut UnpackTo<'t>,
    pub messages: &'r mut [&'m [u8]],
    pub refill: &'r mut Refill<'r, 'm>,
    pub width: usize,
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
