//! Unpacking by a function of the caller's: it is given what has arrived run by run, with the places
//! where that goes, and does what it likes there.
//!
//! Compiled once: what knows element types is behind a [`Visit`]. Kernels play no part.

use super::across::Unpacked;
use super::calls::CopiedBytes;
use super::direct::copy_strided;
use super::engine::{for_each_row, run_row};
use super::rank::{MOST_ACROSS, RankUnpacking};
use super::transfer::{Refill, Spaced, Transfer, take_front};
use crate::program::{Spacing, StridedCopy};

/// Evenly spaced runs of elements: of the bytes of a message, which begin with the first run, and in
/// the local array. All numbers are in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ArrivedRuns {
    pub count: usize,
    /// Elements of a run, which lie together on both sides.
    pub len: usize,
    /// From start to start in the message.
    pub spacing: usize,
    /// Place of the first element in the local array.
    pub at: usize,
    /// From start to start in the local array.
    pub local_spacing: usize,
}

/// What is done with runs that have arrived.
pub(super) type Visit<'a> = dyn FnMut(&[u8], ArrivedRuns) + 'a;

/// Where messages are unpacked to.
pub(super) enum UnpackTo<'a> {
    /// The bytes of the local array.
    Array(&'a mut [u8]),
    /// A function, which has the array.
    Function(&'a mut Visit<'a>),
}

impl UnpackTo<'_> {
    /// Unpacks all messages, as far as `refill` has them; returns what copied them, which a function
    /// does not.
    pub fn all<'m>(
        &mut self,
        unpacking: &RankUnpacking,
        messages: &mut [&'m [u8]],
        refill: &mut dyn Refill<'m>,
    ) -> CopiedBytes {
        match self {
            UnpackTo::Array(local) => unpacking.unpack_as_they_come(local, messages, refill),
            UnpackTo::Function(visit) => {
                unpacking.visit_as_they_come(*visit, messages, refill);
                CopiedBytes::default()
            }
        }
    }
}

/// Messages to a function.
pub(super) struct Visitor<'r, 'm, 'v> {
    pub visit: &'r mut Visit<'v>,
    pub messages: &'r mut [&'m [u8]],
    /// Bytes of an element in messages.
    pub width: usize,
}

impl Transfer for Visitor<'_, '_, '_> {
    fn contiguous(&mut self, message: usize, at: usize, len: usize) {
        let from = take_front(&mut self.messages[message], len * self.width);
        let runs = ArrivedRuns { count: 1, len, spacing: len, at, local_spacing: len };
        (self.visit)(from, runs);
    }

    fn spaced<const LEN: usize>(&mut self, message: Spaced, local: Spaced, count: usize) {
        let runs = ArrivedRuns {
            count,
            len: LEN,
            spacing: message.spacing,
            at: local.at,
            local_spacing: local.spacing,
        };
        (self.visit)(&self.messages[message.message][message.at * self.width..], runs);
    }

    fn skip(&mut self, message: usize, len: usize) {
        take_front(&mut self.messages[message], len * self.width);
    }

    fn strided(&mut self, message: usize, at: usize, len: usize, stride: usize) {
        let from = take_front(&mut self.messages[message], len * self.width);
        let runs = ArrivedRuns { count: len, len: 1, spacing: 1, at, local_spacing: stride };
        (self.visit)(from, runs);
    }
}

impl RankUnpacking {
    /// Hands all messages to a function, as far as `refill` has them; stops where it has no more.
    fn visit_as_they_come<'m>(
        &self,
        visit: &mut Visit<'_>,
        messages: &mut [&'m [u8]],
        refill: &mut dyn Refill<'m>,
    ) {
        if let Some(clip) = self.clip() {
            return self.unpack_clipped(clip, &mut UnpackTo::Function(visit), messages, refill);
        }
        let (width, mut is_over) = (self.width(), false);
        if let Some(across) = self.across() {
            let from = &mut Unpacked { messages, refill, width, most: MOST_ACROSS };
            return across.unpack((self.rows(), self.first()), from, &mut |message, copies| {
                visit_across(visit, message, copies, width);
            });
        }
        for_each_row(self.rows(), self.first(), 0, &mut |level, offset, message| {
            for (number, count) in (message..).zip(&level.counts) {
                let (left, bytes) = (&mut messages[number], count * width);
                is_over |= left.len() < bytes && !is_over && !refill.refill(number, left, bytes);
            }
            if !is_over && !level.peers.is_empty() {
                run_row(&mut Visitor { visit, messages, width }, level, offset, message);
            }
        });
    }
}

/// Bytes of elements that are transposed before a function gets them.
const TRANSPOSED_BYTES: usize = 16 << 10;

/// As [`visit_rows`], of single elements whose rows are columns of the message, and lie together in the
/// local array: some rows are made first, so that a cache line of the message is read once.
fn visit_across(visit: &mut Visit<'_>, message: &[u8], copies: StridedCopy, width: usize) {
    let mut transposed = [0; TRANSPOSED_BYTES];
    let StridedCopy { inner, outer, .. } = copies;
    let rows = TRANSPOSED_BYTES / (inner.count * width).max(1);
    if rows < 2 {
        return visit_rows(visit, message, copies, width);
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
        visit_rows(visit, &transposed, from_rows, width);
    }
}

/// Hands copies from an array's bytes to the local array to a function.
pub(super) fn visit_strided(visit: &mut Visit<'_>, from: &[u8], copies: StridedCopy, width: usize) {
    let StridedCopy { len, inner, outer, .. } = copies;
    if len == 0 || inner.count == 0 {
        return;
    }
    let is_across = len == 1 && outer.source == 1 && outer.count > 1;
    match is_across && inner.source > 1 && inner.destination == 1 {
        true => visit_across(visit, from, copies, width),
        false => visit_rows(visit, from, copies, width),
    }
}

/// Hands copies from a message to the local array to a function, row by row.
fn visit_rows(visit: &mut Visit<'_>, message: &[u8], copies: StridedCopy, width: usize) {
    for row in 0..copies.outer.count {
        let runs = ArrivedRuns {
            count: copies.inner.count,
            len: copies.len,
            spacing: copies.inner.source,
            at: copies.destination + row * copies.outer.destination,
            local_spacing: copies.inner.destination,
        };
        visit(&message[(copies.source + row * copies.outer.source) * width..], runs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each byte that is visited, with its place in the local array.
    fn visited(from: &[u8], copies: StridedCopy) -> Vec<(usize, u8)> {
        let mut found = Vec::new();
        let visit = &mut |bytes: &[u8], runs: ArrivedRuns| {
            for (run, element) in
                (0..runs.count).flat_map(|run| (0..runs.len).map(move |element| (run, element)))
            {
                let at = runs.at + run * runs.local_spacing + element;
                found.push((at, bytes[run * runs.spacing + element]));
            }
        };
        visit_strided(visit, from, copies, 1);
        found.sort_unstable();
        found
    }

    #[test]
    fn columns_and_what_looks_like_them_are_visited_once() {
        let from: Vec<u8> = (0..60).collect();
        let outer = |destination| Spacing { count: 3, source: 1, destination };
        for (spacing, rows) in [(1, 4), (2, 8), (5, 1), (1, 30)] {
            let inner = Spacing { count: 4, source: 7, destination: spacing };
            let copies = StridedCopy { inner, outer: outer(rows), ..StridedCopy::run(2, 3, 1) };
            let mut wanted: Vec<(usize, u8)> =
                copies.runs().map(|(source, destination)| (destination, from[source])).collect();
            wanted.sort_unstable();
            assert_eq!(visited(&from, copies), wanted, "{copies:?}");
        }
    }
}
