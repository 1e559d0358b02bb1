//! Copies runs of one length in array order, by moves of a constant length.

use super::memory::{Access, PrefetchingMemcpy, ahead};
use super::moves::{CopyRun, MAX_MOVES_BYTES, for_length};
use super::{Uniform, UniformKernel};
use crate::exec::kernels::CopyDirection;

pub(in super::super) fn kernel<D: CopyDirection, A: Access>(len: usize) -> UniformKernel {
    macro_rules! made {
        ($copy:ty) => {
            UniformKernel { all: all::<D, $copy, A>, is_network: false }
        };
    }
    if A::FETCHES && len > MAX_MOVES_BYTES {
        return made!(PrefetchingMemcpy);
    }
    for_length!(len, made)
}

/// # Safety
/// As [`Work::all`](super::Work::all); `C` copies runs of this length.
#[inline(always)]
pub(super) unsafe fn all<D: CopyDirection, C: CopyRun, A: Access>(
    uniform: &Uniform,
    mut local: *mut u8,
    cursors: &mut [*mut u8],
) {
    let Uniform { len, peers, rounds, extra, repeats } = *uniform;
    let cursors = &mut cursors[..peers];
    // SAFETY: the caller vouches for `span` bytes, which are `repeats` blocks of `rounds * peers +
    // extra` runs. It vouches for `take` bytes of each message, too, which are `repeats` shares.
    // Neither `local` nor a cursor moves further. Slices have that many bytes, so no product here
    // overflows ([`Uniform::span`]). `C` copies runs of `len` bytes.
    unsafe {
        for _ in 0..repeats {
            for round in 0..rounds {
                for cursor in &*cursors {
                    let there = cursor.add(round * len);
                    ahead::<D, A>(local, there, len);
                    let (from, to) = D::ends(local, there);
                    C::copy(from, to, len);
                    local = local.add(len);
                }
            }
            for cursor in &cursors[..extra] {
                let (from, to) = D::ends(local, cursor.add(rounds * len));
                C::copy(from, to, len);
                local = local.add(len);
            }
            for (peer, cursor) in cursors.iter_mut().enumerate() {
                *cursor = cursor.add(uniform.share(peer));
            }
        }
    }
}
