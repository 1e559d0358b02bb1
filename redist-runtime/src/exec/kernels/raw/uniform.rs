//! Copies runs of one length in array order, by moves of a constant length.

use super::memory::{ahead, asks};
#[cfg(target_arch = "x86_64")]
use super::moves::Moves;
use super::moves::{CopyRun, for_length};
use crate::exec::kernels::{CopyDirection, Memory, Vectors};
#[cfg(target_arch = "x86_64")]
use crate::exec::with_const::with_const;

/// Runs of `len` bytes for all peers in turn. Each of `repeats` blocks begins with the first peer
/// and has `rounds` rounds, then a run for each of the first `extra` peers.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Uniform {
    /// Bytes of a run.
    pub len: usize,
    /// Messages.
    pub peers: usize,
    /// Times that each message gets a run in a block.
    pub(super) rounds: usize,
    /// Messages that get one run more.
    pub(super) extra: usize,
    /// Blocks.
    pub(super) repeats: usize,
    pub(super) memory: Memory,
}

/// Keeps the contract of [`Work`](super::Work).
pub(in super::super) type UniformAll = unsafe fn(&Uniform, *mut u8, &mut [*mut u8]);

impl Uniform {
    pub fn new(len: usize, peers: usize, count: usize, repeats: usize, memory: Memory) -> Self {
        Self { len, peers, rounds: count / peers, extra: count % peers, repeats, memory }
    }

    pub fn take(&self, peer: usize) -> usize {
        let runs = self.rounds.saturating_add(usize::from(peer < self.extra));
        runs.saturating_mul(self.len).saturating_mul(self.repeats)
    }

    /// Moves the cursors past a block. Not inlined, because blocks are long and kernels many.
    #[inline(never)]
    pub(super) fn pass_block(&self, cursors: &mut [*mut u8]) {
        for (peer, cursor) in cursors.iter_mut().enumerate() {
            *cursor = cursor.wrapping_add(self.share(peer));
        }
    }

    fn share(&self, peer: usize) -> usize {
        (self.rounds + usize::from(peer < self.extra)) * self.len
    }
}

pub(in super::super) fn kernel<D: CopyDirection>(
    len: usize,
    memory: Memory,
    vectors: Vectors,
) -> UniformAll {
    macro_rules! made {
        ($copy:ty) => {
            match asks::<$copy>(memory) {
                true => all::<D, $copy, true>,
                false => all::<D, $copy, false>,
            }
        };
    }
    if vectors >= Vectors::Avx2
        && len >= 32
        && let Some(kernel) = wide::<D>(len)
    {
        return kernel;
    }
    for_length!(len, made)
}

/// Returns the kernel for runs of 1 to 8 registers of AVX2, twice as wide as the registers that
/// every processor has.
fn wide<D: CopyDirection>(len: usize) -> Option<UniformAll> {
    #[cfg(target_arch = "x86_64")]
    return with_const!(
        len.div_ceil(32),
        N in [1 2 3 4 5 6 7 8] => Some(in_avx2::<D, N>),
        else None
    );
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = len;
        None
    }
}

/// # Safety
/// The contract of [`Work::all`](super::Work::all) holds, and the processor has AVX2; runs are `N`
/// registers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn in_avx2<D: CopyDirection, const N: usize>(
    uniform: &Uniform,
    local: *mut u8,
    cursors: &mut [*mut u8],
) {
    // SAFETY: the caller vouches for the bytes of `uniform`, and for runs of `N` registers, as
    // these moves copy.
    unsafe { all::<D, Moves<32, N>, true>(uniform, local, cursors) };
}

/// # Safety
/// The contract of [`Work::all`](super::Work::all) holds; `C` copies runs of this length.
#[inline(always)]
unsafe fn all<D: CopyDirection, C: CopyRun, const ASKS: bool>(
    uniform: &Uniform,
    mut local: *mut u8,
    cursors: &mut [*mut u8],
) {
    let Uniform { len, peers, rounds, extra, repeats, memory } = *uniform;
    let fetches = ASKS && memory == Memory::Prefetched;
    let cursors = &mut cursors[..peers];
    // SAFETY: the caller vouches for `repeats` blocks of `rounds * peers + extra` runs of the array.
    // It vouches for `take` bytes of each message, too, which are `repeats` shares. Neither `local`
    // nor a cursor moves further. Slices have that many bytes, so no product here overflows
    // ([`Work::takes`](super::Work::takes)). `C` copies runs of `len` bytes.
    unsafe {
        for _ in 0..repeats {
            for round in 0..rounds {
                for cursor in &*cursors {
                    let there = cursor.add(round * len);
                    ahead::<D, C>(fetches, local, there, len);
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
            uniform.pass_block(cursors);
        }
    }
}
