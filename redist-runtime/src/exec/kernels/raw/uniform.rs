//! Runs of one length in the order of the local array: the copies are of a length that the compiler knows.

use super::memory::{Access, Chunks, LINE, Streamed, ahead};
use super::moves::{Copy, LONG, for_length};
use super::{Uniform, UniformKernel};
use crate::exec::kernels::Direction;

/// The kernel for runs of `len` bytes.
pub(in super::super) fn kernel<D: Direction, A: Access>(len: usize) -> UniformKernel {
    macro_rules! made {
        ($copy:ty) => {
            UniformKernel { all: all::<D, $copy, A>, one: one::<D, $copy> }
        };
    }
    if A::NONTEMPORAL && len >= LINE {
        return made!(Streamed);
    }
    if A::WRITES && len > LONG {
        return made!(Chunks);
    }
    for_length!(len, made)
}

/// # Safety
/// As [`Work::all`](super::Work::all); `C` copies runs of this length.
#[inline(always)]
pub(super) unsafe fn all<D: Direction, C: Copy, A: Access>(
    uniform: &Uniform,
    mut local: *mut u8,
    fronts: &mut [*mut u8],
) {
    let Uniform { len, peers, rounds, extra, repeats } = *uniform;
    let fronts = &mut fronts[..peers];
    // SAFETY: the local array holds `repeats` blocks of `rounds * peers + extra` runs, and so far does `local` go;
    // a front holds `repeats` shares, and so far does it go.
    unsafe {
        for _ in 0..repeats {
            for round in 0..rounds {
                for front in &*fronts {
                    let there = front.add(round * len);
                    ahead::<D, A>(local, there, len);
                    let (from, to) = D::ends(local, there);
                    C::copy(from, to, len);
                    local = local.add(len);
                }
            }
            for front in &fronts[..extra] {
                let (from, to) = D::ends(local, front.add(rounds * len));
                C::copy(from, to, len);
                local = local.add(len);
            }
            for (peer, front) in fronts.iter_mut().enumerate() {
                *front = front.add(uniform.share(peer));
            }
        }
    }
}

/// # Safety
/// As [`Work::one`](super::Work::one); `C` copies runs of this length.
#[inline(always)]
pub(super) unsafe fn one<D: Direction, C: Copy>(
    uniform: &Uniform,
    peer: usize,
    mut local: *mut u8,
    mut front: *mut u8,
) {
    let Uniform { len, peers, rounds, extra, repeats } = *uniform;
    let runs = rounds + usize::from(peer < extra);
    // SAFETY: run number `run` of a block's share is run `run * peers + peer` of the block, which holds
    // `rounds * peers + extra`; the front holds `repeats` shares of `runs` runs.
    unsafe {
        for _ in 0..repeats {
            for run in 0..runs {
                let (from, to) = D::ends(local.add((run * peers + peer) * len), front.add(run * len));
                C::copy(from, to, len);
            }
            front = front.add(runs * len);
            local = local.add((rounds * peers + extra) * len);
        }
    }
}
