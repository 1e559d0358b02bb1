//! In which order a rank's messages are sent, and how far it has come.

use crate::transport::Proposal;
use crate::transport::order::{Turn, turns};

/// The messages that a rank sends to others, in turns.
#[derive(Debug)]
pub(super) struct Sending {
    /// Without steps, every message has a turn in which nothing is received.
    turns: Vec<Turn>,
    has_steps: bool,
    /// Turns begun in this exchange.
    begun: usize,
    /// Pieces that are under way.
    pub pieces: usize,
}

impl Sending {
    /// The message of rank `here` to itself is left out.
    pub fn new(proposal: &Proposal<'_>, here: usize) -> Self {
        let to_others = |send: &usize| proposal.outgoing[*send].rank != here;
        let from_others = |receive: &usize| proposal.incoming[*receive].rank != here;
        let travels =
            |turn: Turn| Turn { send: turn.send.filter(to_others), receive: turn.receive.filter(from_others) };
        let all_at_once =
            || (0..proposal.outgoing.len()).map(|send| Turn { send: Some(send), receive: None }).collect();
        let turns = turns(proposal).unwrap_or_else(all_at_once).into_iter().map(travels);
        let turns = turns.filter(|turn| *turn != Turn::default()).collect();
        Self { turns, has_steps: proposal.steps.is_some(), begun: 0, pieces: 0 }
    }

    pub fn has_steps(&self) -> bool {
        self.has_steps
    }

    /// Nothing has been sent yet.
    pub fn restart(&mut self) {
        (self.begun, self.pieces) = (0, 0);
    }

    /// The next turn, which begins with this.
    pub fn begin_next(&mut self) -> Option<Turn> {
        let next = self.turns.get(self.begun).copied();
        self.begun += usize::from(next.is_some());
        next
    }

    /// Whether all turns have begun.
    pub fn is_through(&self) -> bool {
        self.begun == self.turns.len()
    }

    /// Whether all is sent and received that belongs to the turns so far; `missing` counts the pieces of each incoming
    /// message that have not arrived.
    pub fn is_idle(&self, missing: &[usize]) -> bool {
        let last = self.begun.checked_sub(1).map(|last| self.turns[last]);
        let received = last.and_then(|turn| turn.receive).is_none_or(|message| missing[message] == 0);
        self.pieces == 0 && received
    }
}
