//! The partners that a rank waits for in vain.

use super::fault::Fault;
use super::node::NodeBoard;
use super::tags::TaggedCommunicator;
use crate::error::Error;
use crate::transport::Partners;
use crate::transport::board::{Board, Rounds};

/// Looks at the partners of a move while this rank waits for messages.
#[derive(Clone, Copy)]
pub(super) struct Watcher<'a> {
    pub rounds: &'a Rounds<NodeBoard>,
    /// The number of its plan among the context's.
    pub plan: u64,
    /// All that this rank waits for will come, so that it may wait in the library.
    pub is_sure: bool,
}

impl<'a> Watcher<'a> {
    /// Watches the partners of a move; `is_sure` tells of those on this node.
    pub fn new(
        rounds: &'a Rounds<NodeBoard>,
        far: &Partners,
        communicator: &TaggedCommunicator,
        is_sure: bool,
    ) -> Self {
        Self { rounds, plan: communicator.number, is_sure: is_sure && far.met.is_empty() }
    }

    /// Answers ranks of other nodes.
    pub fn serve(&self) -> Result<(), Error> {
        self.rounds.board.pages.serve()
    }

    /// Returns the reason that a rank takes no part in the move, if it is known.
    pub fn absence(&self, rank: usize) -> Result<Option<Fault>, Error> {
        let board = &self.rounds.board;
        match board.pages.far().filter(|_| !board.has(rank)) {
            Some(far) => far.absence(rank, self.plan, self.rounds.current_call().number()),
            None if !self.rounds.stays_away(rank) => Ok(None),
            None if board.has_ended(rank) => Ok(Some(Fault::Ended)),
            None => Ok(Some(Fault::OtherCall)),
        }
    }
}
