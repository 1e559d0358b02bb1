//! Finds the network for rounds of short runs.

use super::memory::{Access, Cached};
#[cfg(target_arch = "x86_64")]
use super::squares;
use super::{Uniform, UniformAll};
use crate::exec::kernels::{CopyDirection, FromMessages, MAX_PEERS, ToMessages, Vectors};

/// Returns a network for so many messages, or else squares. Squares also take rounds that do not
/// fill a vector.
pub(in super::super) fn find<D: CopyDirection, A: Access>(
    vectors: Vectors,
    (len, peers): (usize, usize),
    rounds: usize,
) -> Option<UniformAll> {
    #[cfg(target_arch = "x86_64")]
    {
        let network = match vectors {
            Vectors::Sse2 => super::network::sse2::<D, A>(len, peers),
            Vectors::Avx2 => super::network::avx2::<D, A>(len, peers),
            Vectors::Avx512 => super::network::avx512::<D, A>(len, peers),
            Vectors::Portable | Vectors::Neon => None,
        };
        let fills = len > 0 && rounds >= squares::lanes(vectors, len);
        // Of 16 messages, SSE2 has no registers for all.
        let spills = vectors == Vectors::Sse2 && D::PACKS && peers == 16;
        network
            .filter(|_| fills && !spills)
            .or_else(|| squares::find::<D, A>(vectors, len, peers))
            .or(network)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (vectors, len, peers, rounds);
        None
    }
}

/// A network between one array and several, for callers with pointers and prefetches of their own.
#[derive(Clone, Copy)]
pub(in crate::exec) struct Network {
    all: UniformAll,
    len: usize,
    peers: usize,
}

impl Network {
    /// Finds the network for runs of `len` bytes between one array and `peers` others. It
    /// distributes runs to them if `packs`, and gathers them otherwise.
    pub fn new(vectors: Vectors, packs: bool, len: usize, peers: usize) -> Option<Self> {
        let all = match packs {
            true => find::<ToMessages, Cached>(vectors, (len, peers), usize::MAX),
            false => find::<FromMessages, Cached>(vectors, (len, peers), usize::MAX),
        };
        all.filter(|_| peers <= MAX_PEERS).map(|all| Self { all, len, peers })
    }

    /// Copies `rounds` rounds between `local` and the arrays at `cursors`; may advance them.
    ///
    /// # Safety
    /// There is a cursor for each array. Each round is `peers` runs of `len` bytes in `local` and
    /// one in each array. All rounds may be read from one side and written to the other. The sides
    /// do not overlap. The processor has this network's vectors.
    pub unsafe fn copy(&self, rounds: usize, local: *mut u8, cursors: &mut [*mut u8]) {
        debug_assert_eq!(cursors.len(), self.peers);
        let Self { len, peers, .. } = *self;
        let uniform = Uniform { len, peers, rounds, extra: 0, repeats: 1 };
        // SAFETY: this block is the caller's: `rounds` rounds of one run per array, without extra
        // runs. The network is for runs of `len` bytes and this number of arrays, as `new` found
        // it. The caller says that the processor has its vectors.
        unsafe { (self.all)(&uniform, local, cursors) };
    }
}
