//! Which network copies rounds of short runs.

use super::memory::{Access, Cached};
use super::{Uniform, UniformAll};
use crate::exec::kernels::{MAX_PEERS, Vectors};

/// The network for runs of `len` bytes and `peers` messages, if there is one.
#[cfg(target_arch = "x86_64")]
pub(in super::super) fn find<A: Access>(
    vectors: Vectors,
    packs: bool,
    len: usize,
    peers: usize,
) -> Option<UniformAll> {
    use super::network::{avx2, avx512, sse2};
    match vectors {
        Vectors::Portable | Vectors::Neon => None,
        Vectors::Sse2 => sse2::<A>(packs, len, peers),
        Vectors::Avx2 => avx2::<A>(packs, len, peers),
        Vectors::Avx512 => avx512::<A>(packs, len, peers),
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(in super::super) fn find<A: Access>(
    _: Vectors,
    _: bool,
    _: usize,
    _: usize,
) -> Option<UniformAll> {
    None
}

/// A network between one array and several, for callers that have pointers and prefetch themselves.
#[derive(Clone, Copy)]
pub(in crate::exec) struct Network {
    all: UniformAll,
    len: usize,
    peers: usize,
}

impl Network {
    /// The network for runs of `len` bytes and `peers` arrays beside the one, if there is one. It
    /// distributes runs to them if `packs`, and gathers them otherwise.
    pub fn new(vectors: Vectors, packs: bool, len: usize, peers: usize) -> Option<Self> {
        let all = find::<Cached>(vectors, packs, len, peers).filter(|_| peers <= MAX_PEERS)?;
        Some(Self { all, len, peers })
    }

    /// Copies `rounds` rounds between `local` and the arrays at `cursors`, which may be advanced.
    ///
    /// # Safety
    /// There is a cursor for each array. Each round is `peers` runs of `len` bytes in `local` and
    /// one in each array; `rounds` of them may be read from one side and written to the other, and
    /// the sides do not overlap. The processor has the vectors that this was made for.
    pub unsafe fn copy(&self, rounds: usize, local: *mut u8, cursors: &mut [*mut u8]) {
        debug_assert_eq!(cursors.len(), self.peers);
        let Self { len, peers, .. } = *self;
        let uniform = Uniform { len, peers, rounds, extra: 0, repeats: 1 };
        // SAFETY: this block is what the caller vouches for: `rounds` rounds of one run for each
        // array, without extra runs. `new` found the network for runs of `len` bytes and as many
        // arrays, and the caller says that the processor has its vectors.
        unsafe { (self.all)(&uniform, local, cursors) };
    }
}
