//! Copies between a local array and messages. Numbers are in elements, slices are bytes.

use super::direct::copy_strided;
use super::with_const::with_const;
use crate::program::StridedCopy;
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

/// Copies runs: a single one by `memcpy`, a row of runs of a common length by register moves.
#[inline]
pub(super) fn copy_runs(from: &[u8], to: &mut [u8], runs: StridedCopy, width: usize) {
    let StridedCopy { source, destination, len, inner, outer } = runs;
    match (inner.count, outer.count) {
        (1, 1) if len > 1 => {
            let [source, destination, bytes] = [source, destination, len].map(|n| n * width);
            to[destination..destination + bytes].copy_from_slice(&from[source..source + bytes]);
        }
        (1.., 1) => with_const!(
            len * width,
            BYTES in [1 2 3 4 6 8 10 12 16 24 32] => copy_spaced::<BYTES>(from, to, runs, width),
            else copy_strided(from, to, runs, width)
        ),
        _ => copy_strided(from, to, runs, width),
    }
}

/// Runs from which a loop without bounds checks repays its start-up.
const MIN_CHUNKS: usize = 16;

/// Copies a row of runs of `BYTES` bytes, at least one.
///
/// A whole gap follows all runs but the last, so their chunks have one length and the loop needs no
/// bounds checks. A side without gaps gets a loop of its own with constant steps.
#[inline(always)]
fn copy_spaced<const BYTES: usize>(
    from: &[u8],
    to: &mut [u8],
    StridedCopy { source, destination, inner, .. }: StridedCopy,
    width: usize,
) {
    let (from_spacing, to_spacing) = (inner.source * width, inner.destination * width);
    let last = inner.count - 1;
    let from = &from[source * width..][..last * from_spacing + BYTES];
    let to = &mut to[destination * width..][..last * to_spacing + BYTES];
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
        copy_spaced_at_both::<BYTES>((from, from_spacing), (to, to_spacing));
    }
    let (from, to) = (&from[last * from_spacing..], &mut to[last * to_spacing..]);
    to.copy_from_slice(&from[..BYTES]);
}

/// Copies runs of which both sides have gaps. A function of its own, because its unrolled loop needs
/// all registers: inlined, it reads multiples of the spacings from the stack.
#[inline(never)]
fn copy_spaced_at_both<const BYTES: usize>(
    (from, from_spacing): (&[u8], usize),
    (to, to_spacing): (&mut [u8], usize),
) {
    for (from, to) in from.chunks_exact(from_spacing).zip(to.chunks_exact_mut(to_spacing)) {
        to[..BYTES].copy_from_slice(&from[..BYTES]);
    }
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
