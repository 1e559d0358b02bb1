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

/// Copies runs: a row of runs of a common length by register moves, another single run by `memcpy`.
#[inline]
pub(super) fn copy_runs(from: &[u8], to: &mut [u8], runs: StridedCopy, width: usize) {
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
            1 => written[..bytes].copy_from_slice(&read[..bytes]),
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
