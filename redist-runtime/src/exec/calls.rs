//! What a plan that is bound has called so far.

/// How often each way of copying was called on this rank: what
/// [`Bound::explain`](super::Bound::explain) is held to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// All outgoing messages packed.
    pub packed: usize,
    /// Outgoing messages packed by themselves.
    pub packed_alone: usize,
    /// All incoming messages unpacked together.
    pub unpacked: usize,
    /// Incoming messages unpacked by themselves.
    pub unpacked_alone: usize,
    /// Shares of the copies between all ranks' arrays.
    pub shares: usize,
    /// Copies from all ranks' source arrays to this rank's destination.
    pub copied: usize,
    /// Rounds in which ranks showed chunks.
    pub rounds: usize,
    /// Moves by the library's datatypes.
    pub typed: usize,
    /// Bytes that were copied by code which the compiler has written for the blocks of the plan.
    pub written_bytes: usize,
}

/// Counts calls, and lets tests do something amid a move.
#[derive(Default)]
pub(super) struct Counter {
    pub calls: Calls,
    pub watch: Option<Watch>,
}

/// Is called before everything that copies, with the number of the message where one is unpacked by
/// itself.
pub(super) type Watch = Box<dyn FnMut(Calls, Option<usize>)>;

impl Counter {
    pub fn count(&mut self, call: impl FnOnce(&mut Calls) -> &mut usize, message: Option<usize>) {
        *call(&mut self.calls) += 1;
        if let Some(watch) = &mut self.watch {
            watch(self.calls, message);
        }
    }
}
