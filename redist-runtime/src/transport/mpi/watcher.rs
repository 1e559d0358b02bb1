//! The partners that a rank waits for in vain.

use super::context::Context;
use super::far::{Absence, FarPartners};
use super::node::NodeBoard;
use super::tags::TaggedCommunicator;
use crate::error::Error;
use crate::transport::board::Rounds;

/// Looks at the partners of a move while this rank waits for messages.
#[derive(Clone, Copy)]
pub(super) struct Watcher<'a> {
    pub rounds: &'a Rounds<NodeBoard>,
    pub context: &'a Context,
    /// The number of its plan among the context's.
    pub plan: u64,
    /// All that this rank waits for will come, so that it may wait in the library.
    pub is_sure: bool,
}

impl<'a> Watcher<'a> {
    /// Watches the partners of a move; `is_sure` tells of those on this node.
    pub fn new(
        (rounds, context): (&'a Rounds<NodeBoard>, &'a Context),
        far: &FarPartners,
        communicator: &TaggedCommunicator,
        is_sure: bool,
    ) -> Self {
        let is_alone = far.senders.is_empty() && far.receivers.is_empty();
        Self { rounds, context, plan: communicator.number, is_sure: is_sure && is_alone }
    }

    /// Returns `true` if a rank of this node takes no part in the move.
    pub fn stays_away(&self, rank: usize) -> bool {
        self.rounds.board.has(rank) && self.rounds.stays_away(rank)
    }

    /// Answers ranks of other nodes.
    pub fn serve(&self) -> Result<(), Error> {
        self.context.pages().map_or(Ok(()), |pages| pages.serve())
    }

    /// Returns the reason that a rank of another node takes no part in the move, if it is known.
    pub fn absence(&self, rank: usize) -> Result<Option<Absence>, Error> {
        let Self { rounds, context, .. } = self;
        match context.pages().and_then(|pages| pages.far()) {
            Some(far) if !rounds.board.has(rank) => {
                far.absence(rank, self.plan, rounds.current_call().number())
            }
            _ => Ok(None),
        }
    }
}
