/// Runs of `len` bytes for all peers in turn. Each of `repeats` blocks begins with the first peer
/// and has `rounds` rounds, then a run for each of the first `extra` peers.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Uniform {
    pub(super) len: usize,
    pub(super) peers: usize,
    pub(super) rounds: usize,
    pub(super) extra: usize,
    pub(super) repeats: usize,
}

/// Keeps the contract of [`Work`](super::Work).
pub(in super::super) type UniformAll = unsafe fn(&Uniform, *mut u8, &mut [*mut u8]);

impl Uniform {
    pub fn new(len: usize, peers: usize, count: usize, repeats: usize) -> Self {
        Self { len, peers, rounds: count / peers, extra: count % peers, repeats }
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
