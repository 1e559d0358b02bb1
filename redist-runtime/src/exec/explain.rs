//! Describes a bound plan in words: `Bound::explain`.

use super::direct::{DirectCopies, Staged};
use super::mover::{Decision, Mover};
use super::prepared::Facts;
use crate::layout::vocabulary::counted;
use crate::plan::Side;
use crate::program::Envelope;
use crate::transport::Way;
use core::fmt::Write as _;

impl Mover {
    pub fn explain(&self) -> String {
        let [source, destination] = self.copies_in_words();
        let mut text = format!("rank {} of {}", self.rank(), self.ranks);
        for (subject, words) in [
            ("way", self.way_in_words()),
            ("schedule", self.schedule_in_words()),
            ("source", source),
            ("destination", destination),
            ("elements", self.volumes_in_words()),
            ("memory", self.memory_in_words()),
            ("first move", self.still_to_make()),
        ] {
            let _ = write!(text, "\n  {subject}: {words}");
        }
        text
    }

    fn way_in_words(&self) -> String {
        let (way, reason) = self.exchange.channel.way();
        let strided = match self.prepared.strided {
            Some(_) => "; not all local arrays are dense",
            None => "",
        };
        format!("{way}: {reason}{strided}")
    }

    fn schedule_in_words(&self) -> String {
        let Decision { method, steps, reason } = &self.decision;
        match (self.way(), steps) {
            (Way::Messages, Some(steps)) if self.exchange.channel.facts().receives => {
                let steps = counted(steps.len(), "step");
                format!("{method}, {steps} on this rank, a message at a time: {reason}")
            }
            (Way::Messages, Some(_)) => "none: threads hand over all messages at once".into(),
            (Way::Messages, None) => format!("all at once: {reason}"),
            (way, _) => format!("none: with {way} there are no messages to order"),
        }
    }

    fn copies_in_words(&self) -> [String; 2] {
        let (prepared, channel) = (&self.prepared, &self.exchange.channel);
        // Returns the words before the kernels' names.
        let kernels = |packed: &str, unpacked: &str| {
            let [packs, unpacks] = [prepared.packing().in_words(), prepared.unpacking().in_words()];
            [format!("packed{packed} by {packs}"), format!("unpacked from {unpacked} by {unpacks}")]
        };
        match channel.way().0 {
            Way::Messages if self.round_count() > 1 => {
                ["packed", "unpacked"].map(|work| format!("{work} box by box, by what suits each"))
            }
            Way::Lent => {
                let made = prepared.copies.iter().flatten().next_back();
                let copies = made.map_or_else(String::new, DirectCopies::in_words);
                ["nothing is packed: other ranks read it".into(), copies]
            }
            Way::Slots => kernels(
                " into slots of memory that ranks of a node share",
                "the ranks' slots, in one round,",
            ),
            Way::Chunks => [
                "nothing is packed: it is shown to the others chunk after chunk, through the caches \
                 or past them, as was faster so far"
                    .into(),
                prepared.staged.as_ref().map_or_else(String::new, Staged::in_words),
            ],
            Way::Messages if channel.facts().receives => {
                kernels("", "all messages together, as they arrive,")
            }
            Way::Messages => kernels("", "all messages together"),
        }
    }

    fn volumes_in_words(&self) -> String {
        let (rank, width) = (self.rank(), self.element.bytes());
        let bytes =
            |elements: usize| format!("{elements} ({} bytes)", elements.saturating_mul(width));
        let stay = self.stays();
        let [out, come] =
            [Side::Source, Side::Destination].map(|side| self.elements_of_messages(side) - stay);
        let mut text = format!("{} leave, {} come, {} stay", bytes(out), bytes(come), bytes(stay));
        // With several rounds, each has its own messages.
        if self.way() == Way::Messages && self.round_count() == 1 {
            let others = |side| {
                let sent = |envelope: &&Envelope| envelope.rank != rank && envelope.len > 0;
                counted(self.envelopes(side).iter().filter(sent).count(), "message")
            };
            let _ =
                write!(text, "; {} out, {} in", others(Side::Source), others(Side::Destination));
        }
        if let Some(trapezoid) = self.prepared.facts.trapezoid {
            let _ = write!(text, "; of {trapezoid}");
        }
        text
    }

    fn envelopes(&self, side: Side) -> &[Envelope] {
        match side {
            Side::Source => self.prepared.packing().envelopes(),
            Side::Destination => self.prepared.unpacking().envelopes(),
        }
    }

    fn stays(&self) -> usize {
        let (Facts { plan, trapezoid, .. }, rank) = (&self.prepared.facts, self.rank());
        let own = |envelope: &&Envelope| envelope.rank == rank;
        match trapezoid {
            None => plan.volume(rank, rank),
            Some(_) => self.envelopes(Side::Source).iter().find(own).map_or(0, |own| own.len),
        }
    }

    pub(super) fn elements_of_messages(&self, side: Side) -> usize {
        let Facts { plan, trapezoid, .. } = &self.prepared.facts;
        match trapezoid {
            None => plan.moved(side, self.rank()),
            Some(_) => self.envelopes(side).iter().map(|envelope| envelope.len).sum(),
        }
    }

    pub(super) fn scratch_bytes(&self) -> usize {
        let held = self.exchange.channel.facts();
        match (self.way(), &self.exchange.messages, &self.rounds) {
            (Way::Lent, ..) => 0,
            (Way::Messages, _, Some(rounds)) if rounds.count() > 1 => rounds.bytes(),
            (Way::Messages, Some(messages), _) => {
                messages.outgoing.len + if held.receives { messages.incoming.len } else { 0 }
            }
            _ => held.messages + held.window,
        }
    }

    fn memory_in_words(&self) -> String {
        let held = self.exchange.channel.facts();
        let bytes = |side| self.elements_of_messages(side).saturating_mul(self.element.bytes());
        // Threads unpack from their senders' buffers.
        let incoming = if held.receives { bytes(Side::Destination) } else { 0 };
        let most = bytes(Side::Source).saturating_add(incoming);
        let mut text = format!("{} for messages now", counted(held.messages, "byte"));
        let _ = match (self.way(), &self.rounds) {
            (Way::Messages, Some(_)) => write!(text, ", {} at most", self.scratch_bytes()),
            (_, Some(rounds)) => {
                write!(text, "; {} at most where packed messages go", rounds.bytes())
            }
            (Way::Messages, None) => write!(text, ", {most} and some between them at most"),
            _ => write!(text, "; {most} and some between them once a rank only starts a move"),
        };
        if let Some(rounds) = &self.rounds {
            let count = counted(rounds.count(), "round");
            let bound = counted(rounds.max_bytes, "byte");
            let _ = write!(text, ", in {count}, of {bound} that the caller allows");
        }
        if held.window > 0 {
            let bytes = counted(held.window, "byte");
            let _ = write!(text, "; {bytes} to show chunks in, for all plans together");
        }
        text
    }

    fn still_to_make(&self) -> String {
        let made = self.exchange.channel.facts().messages > 0;
        match (self.way(), self.round_count()) {
            (Way::Messages, 2..) => {
                "has to make memory for messages, and every round tables to copy by".into()
            }
            (Way::Messages, _) if !made => "has to make memory for messages".into(),
            _ => "has nothing to make".into(),
        }
    }
}
