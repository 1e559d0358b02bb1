//! Copies a pattern in array order, from a table of runs.

use super::memory::{ahead, asks};
use super::moves::{AnyLength, CopyRun, for_length};
use crate::exec::kernels::pattern::Pattern;
use crate::exec::kernels::{CopyDirection, Memory};

/// Periods of a pattern, one after the other.
#[derive(Clone, Debug)]
pub(in super::super) struct PatternTable {
    pub pattern: Pattern,
    /// Number of periods.
    pub repeats: usize,
    pub memory: Memory,
}

/// Copies all periods between the local array and the messages' cursors.
pub(in super::super) type TableKernel = unsafe fn(&PatternTable, *mut u8, &mut [*mut u8]);

impl PatternTable {
    pub fn takes(&self) -> impl Iterator<Item = usize> {
        self.pattern.shares().iter().map(|share| share.saturating_mul(self.repeats))
    }
}

pub(in super::super) fn kernel<D: CopyDirection>(
    len: Option<usize>,
    memory: Memory,
) -> TableKernel {
    macro_rules! made {
        ($copy:ty) => {
            match asks::<$copy>(memory) {
                true => all::<D, $copy, true>,
                false => all::<D, $copy, false>,
            }
        };
    }
    match len {
        Some(len) => for_length!(len, made),
        None => made!(AnyLength),
    }
}

/// # Safety
/// The contract of [`Work::all`](super::Work::all) holds; `C` copies runs of the lengths of the
/// pattern.
#[inline(always)]
pub(super) unsafe fn all<D: CopyDirection, C: CopyRun, const ASKS: bool>(
    table: &PatternTable,
    mut local: *mut u8,
    cursors: &mut [*mut u8],
) {
    let (runs, shares) = (table.pattern.runs(), table.pattern.shares());
    let cursors = &mut cursors[..shares.len()];
    let fetches = ASKS && table.memory == Memory::Prefetched;
    // SAFETY: a run lies inside the span and its peer's share. Its peer has a share
    // ([`Pattern`](super::Pattern)), and each share has a cursor. The caller vouches for `repeats`
    // spans of the local array and `repeats` shares of each message; neither moves further. `C`
    // copies runs of their lengths.
    unsafe {
        for _ in 0..table.repeats {
            for run in runs {
                let cursor = *cursors.get_unchecked(run.peer as usize);
                let (here, there) =
                    (local.add(run.start as usize), cursor.add(run.in_share as usize));
                ahead::<D, C>(fetches, here, there, run.len as usize);
                let (from, to) = D::ends(here, there);
                C::copy(from, to, run.len as usize);
            }
            for (cursor, share) in cursors.iter_mut().zip(shares) {
                *cursor = cursor.wrapping_add(*share);
            }
            local = local.add(table.pattern.span());
        }
    }
}
