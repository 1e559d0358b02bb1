//! In which order a rank's messages are sent, and how far it has come.

use crate::transport::Messages;
use crate::transport::order::{MessageStep, by_message};

/// The messages that a rank sends to others, in steps.
#[derive(Debug)]
pub(super) struct Sending {
    /// Without a schedule, every message has a step in which nothing is received.
    steps: Vec<MessageStep>,
    has_steps: bool,
    /// Steps begun in this move.
    begun: usize,
    /// Pieces that are under way.
    pub pieces: usize,
}

impl Sending {
    /// The message of rank `here` to itself is left out.
    pub fn new(messages: &Messages, here: usize) -> Self {
        let (outgoing, incoming) = (&messages.outgoing.envelopes, &messages.incoming.envelopes);
        let to_others = |send: &usize| outgoing[*send].rank != here;
        let from_others = |receive: &usize| incoming[*receive].rank != here;
        let travels = |step: MessageStep| MessageStep {
            send: step.send.filter(to_others),
            receive: step.receive.filter(from_others),
        };
        let all_at_once = || {
            (0..outgoing.len())
                .map(|send| MessageStep { send: Some(send), receive: None })
                .collect()
        };
        let steps = by_message(messages).unwrap_or_else(all_at_once).into_iter().map(travels);
        let steps = steps.filter(|step| *step != MessageStep::default()).collect();
        Self { steps, has_steps: messages.steps.is_some(), begun: 0, pieces: 0 }
    }

    pub fn has_steps(&self) -> bool {
        self.has_steps
    }

    /// Nothing has been sent yet.
    pub fn restart(&mut self) {
        (self.begun, self.pieces) = (0, 0);
    }

    /// The next step, which begins with this.
    pub fn begin_next(&mut self) -> Option<MessageStep> {
        let next = self.steps.get(self.begun).copied();
        self.begun += usize::from(next.is_some());
        next
    }

    /// The messages that are sent, in the order of steps.
    pub fn messages(&self) -> impl Iterator<Item = usize> {
        self.steps.iter().filter_map(|step| step.send)
    }

    /// What the next step sends.
    pub fn next_message(&self) -> Option<usize> {
        self.steps.get(self.begun)?.send
    }

    /// Whether all steps have begun.
    pub fn is_through(&self) -> bool {
        self.begun == self.steps.len()
    }

    /// Whether all is sent that belongs to the steps so far.
    pub fn is_idle(&self) -> bool {
        self.pieces == 0
    }
}
