//! Counts a rank's calls and bytes, for `explain` and for tests.

use core::ops::AddAssign;

/// Calls of each way to copy on this rank; tests compare [`Bound::explain`](super::Bound::explain).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// All outgoing messages packed.
    pub packed: usize,
    /// All incoming messages unpacked together.
    pub unpacked: usize,
    /// Shares of the copies between all ranks' arrays.
    pub shares: usize,
    /// Copies from all ranks' source arrays to this rank's destination.
    pub copied: usize,
    /// Rounds in which ranks published chunks.
    pub rounds: usize,
}

/// Bytes copied on this rank, or passed to a function. Bytes packed and unpacked count twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopiedBytes {
    /// By code that the compiler wrote for the plan's blocks.
    pub written: usize,
    /// By the library's own code.
    pub own: usize,
}

impl CopiedBytes {
    /// Returns the sum.
    pub fn all(&self) -> usize {
        self.written + self.own
    }
}

impl AddAssign for CopiedBytes {
    fn add_assign(&mut self, other: Self) {
        self.written += other.written;
        self.own += other.own;
    }
}

/// Counts a rank's copies, and lets tests act between them.
#[derive(Default)]
pub(super) struct Counter {
    pub calls: Calls,
    pub bytes: CopiedBytes,
    pub watch: Option<Watch>,
}

/// A test's function, called before each copy with the counts so far.
pub(super) type Watch = Box<dyn FnMut(Calls)>;

impl Counter {
    pub fn count(&mut self, call: impl FnOnce(&mut Calls) -> &mut usize) {
        *call(&mut self.calls) += 1;
        if let Some(watch) = &mut self.watch {
            watch(self.calls);
        }
    }
}
