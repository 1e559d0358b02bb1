//! Networks of vector shuffles, for processors that have them.

use super::{Uniform, UniformAll};
#[cfg(not(target_arch = "x86_64"))]
use crate::exec::kernels::CopyDirection;
use crate::exec::kernels::{FromMessages, MAX_PEERS, Memory, ToMessages, Vectors};

#[cfg(target_arch = "x86_64")]
pub(in super::super) use super::network::find;

#[cfg(not(target_arch = "x86_64"))]
pub(in super::super) fn find<D: CopyDirection>(
    _: Vectors,
    _: Memory,
    _: usize,
    _: usize,
) -> Option<UniformAll> {
    None
}

/// A network between one array and several, for callers that have pointers and prefetch themselves.
#[derive(Clone, Copy)]
pub(in crate::exec) struct Network {
    all: UniformAll,
    /// Bytes of a run.
    len: usize,
    /// Arrays on the side that has several.
    peers: usize,
}

impl Network {
    /// Finds the network for runs of `len` bytes between one array and `peers` others. It
    /// distributes runs to them if `packs`, and gathers them otherwise.
    pub fn new(vectors: Vectors, packs: bool, len: usize, peers: usize) -> Option<Self> {
        let memory = Memory::Cached;
        let all = match packs {
            true => find::<ToMessages>(vectors, memory, len, peers),
            false => find::<FromMessages>(vectors, memory, len, peers),
        };
        all.filter(|_| peers <= MAX_PEERS).map(|all| Self { all, len, peers })
    }

    /// Copies `rounds` rounds between `local` and the arrays at `cursors`; may advance them.
    ///
    /// # Safety
    /// There is a cursor for each array. Each round is `peers` runs of `len` bytes in `local` and
    /// a run in each array. All rounds may be read from one side and written to the opposite side.
    /// The sides do not overlap. The processor has this network's vectors.
    pub unsafe fn copy(&self, rounds: usize, local: *mut u8, cursors: &mut [*mut u8]) {
        debug_assert_eq!(cursors.len(), self.peers);
        let Self { len, peers, .. } = *self;
        let memory = Memory::Cached;
        let uniform = Uniform { len, peers, rounds, extra: 0, repeats: 1, memory };
        // SAFETY: this block is the caller's: `rounds` rounds of one run per array, without extra
        // runs. The network is for runs of `len` bytes and this number of arrays, as `new` found
        // it. The caller says that the processor has its vectors.
        unsafe { (self.all)(&uniform, local, cursors) };
    }
}
