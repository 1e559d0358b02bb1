//! A pattern in the order of the local array: a table of runs, and a cursor for each message.

use super::memory::{Access, Chunks, LINE, Streamed, ahead};
use super::moves::{Any, Copy, LONG, for_length};
use super::{Table, TableKernel};
use crate::exec::kernels::Direction;

/// The kernel for runs that are all `len` bytes long, or of any lengths.
pub(in super::super) fn kernel<D: Direction, A: Access>(len: Option<usize>) -> TableKernel {
    macro_rules! made {
        ($copy:ty) => {
            TableKernel { all: all::<D, $copy, A>, one: one::<D, $copy> }
        };
    }
    if A::NONTEMPORAL && len.is_none_or(|len| len >= LINE) {
        return made!(Streamed);
    }
    if A::WRITES && len.is_some_and(|len| len > LONG) {
        return made!(Chunks);
    }
    match len {
        Some(len) => for_length!(len, made),
        None => made!(Any),
    }
}

/// # Safety
/// As [`Work::all`](super::Work::all); `C` copies runs of the lengths of the pattern.
#[inline(always)]
pub(super) unsafe fn all<D: Direction, C: Copy, A: Access>(table: &Table, mut local: *mut u8, fronts: &mut [*mut u8]) {
    let (runs, shares) = (table.pattern.runs(), table.pattern.shares());
    let fronts = &mut fronts[..shares.len()];
    // SAFETY: a run lies inside the span and inside its peer's share; the local array holds `repeats` spans, and each
    // front `repeats` shares; so far do they go.
    unsafe {
        for _ in 0..table.repeats {
            for run in runs {
                let front = *fronts.get_unchecked(run.peer as usize);
                let (here, there) = (local.add(run.start as usize), front.add(run.in_share as usize));
                ahead::<D, A>(here, there, run.len as usize);
                let (from, to) = D::ends(here, there);
                C::copy(from, to, run.len as usize);
            }
            for (front, share) in fronts.iter_mut().zip(shares) {
                *front = front.add(*share);
            }
            local = local.add(table.pattern.span());
        }
    }
}

/// # Safety
/// As [`Work::one`](super::Work::one); `C` copies runs of the lengths of the pattern.
#[inline(always)]
pub(super) unsafe fn one<D: Direction, C: Copy>(table: &Table, peer: usize, mut local: *mut u8, mut front: *mut u8) {
    let (runs, share) = (table.of_peer(peer), table.pattern.shares()[peer]);
    // SAFETY: as for all messages.
    unsafe {
        for _ in 0..table.repeats {
            for run in runs {
                let (from, to) = D::ends(local.add(run.start as usize), front.add(run.in_share as usize));
                C::copy(from, to, run.len as usize);
            }
            front = front.add(share);
            local = local.add(table.pattern.span());
        }
    }
}
