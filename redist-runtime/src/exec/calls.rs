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

/// Bytes copied on this rank by each kind of code. Bytes packed and unpacked count twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopiedBytes {
    /// Code that the compiler wrote for the plan's blocks.
    pub written: usize,
    /// Networks of vector shuffles.
    pub network: usize,
    /// Permutations of whole vectors, read from a table.
    pub permuted: usize,
    /// Copies of runs of one length, in the order of the local array.
    pub moved: usize,
    /// Copies of runs of any length, read from a table.
    pub tabulated: usize,
    /// The loop nest over a message's runs.
    pub walked: usize,
    /// Copies run by run from one rank's array to another's.
    pub direct: usize,
}

impl CopiedBytes {
    /// Returns the sum.
    pub fn all(&self) -> usize {
        let Self { written, network, permuted, moved, tabulated, walked, direct } = self;
        written + network + permuted + moved + tabulated + walked + direct
    }
}

impl AddAssign for CopiedBytes {
    fn add_assign(&mut self, other: Self) {
        self.written += other.written;
        self.network += other.network;
        self.permuted += other.permuted;
        self.moved += other.moved;
        self.tabulated += other.tabulated;
        self.walked += other.walked;
        self.direct += other.direct;
    }
}

#[derive(Default)]
pub(super) struct Counter {
    pub calls: Calls,
    pub bytes: CopiedBytes,
    pub watch: Option<Watch>,
}

pub(super) type Watch = Box<dyn FnMut(Calls)>;

impl Counter {
    pub fn count(&mut self, call: impl FnOnce(&mut Calls) -> &mut usize) {
        *call(&mut self.calls) += 1;
        if let Some(watch) = &mut self.watch {
            watch(self.calls);
        }
    }
}
