//! Networks for whoever has pointers of its own: rounds of short runs between one array and several.

use super::{Uniform, UniformAll};
use crate::exec::kernels::{MOST_PEERS, Vectors};

/// Rounds of runs of 4, 8 or 16 bytes, dealt from one array to several in turn, or gathered from them; whoever calls asks for
/// lines ahead.
#[derive(Clone, Copy)]
pub(in crate::exec) struct Network {
    all: UniformAll,
    len: usize,
    peers: usize,
}

impl Network {
    /// The network for runs of `len` bytes and `peers` arrays beside the one, if there is one; `deals` to them, or gathers.
    pub fn new(vectors: Vectors, deals: bool, len: usize, peers: usize) -> Option<Self> {
        if peers > MOST_PEERS {
            return None;
        }
        let all = all(vectors, deals, len, peers)?;
        Some(Self { all, len, peers })
    }

    /// Copies `rounds` rounds between `local` and the arrays at `fronts`, which may be moved on.
    ///
    /// # Safety
    /// There is a front for each array, and so many rounds may be read from one side and written to the other, which do
    /// not overlap. The processor has the vectors that this was made for.
    pub unsafe fn copy(&self, rounds: usize, local: *mut u8, fronts: &mut [*mut u8]) {
        debug_assert_eq!(fronts.len(), self.peers);
        let uniform = Uniform { len: self.len, peers: self.peers, rounds, extra: 0, repeats: 1 };
        // SAFETY: as the caller says; a block of so many rounds, once, has no extra runs.
        unsafe { (self.all)(&uniform, local, fronts) };
    }
}

#[cfg(target_arch = "x86_64")]
fn all(vectors: Vectors, deals: bool, len: usize, peers: usize) -> Option<UniformAll> {
    use super::memory::Cached;
    use super::network::{avx2, avx512, sse2};
    match vectors {
        Vectors::Portable => None,
        Vectors::Sse2 => sse2::<Cached>(deals, len, peers),
        Vectors::Avx2 => avx2::<Cached>(deals, len, peers),
        Vectors::Avx512 => avx512::<Cached>(deals, len, peers),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn all(_: Vectors, _: bool, _: usize, _: usize) -> Option<UniformAll> {
    None
}
