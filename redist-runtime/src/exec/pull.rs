//! Moves in which a rank reads the arrays of its senders, or what they show in slots. Senders that
//! have only begun the move have packed messages; receivers that have only begun it wait for some.

use super::direct::Pairs;
use super::exchange::{Copying, send_packed};
use super::prepared::Prepared;
use super::transfer::{UnpackTo, whole};
use crate::error::Error;
use crate::program::Envelope;
use crate::transport::{Channel, Messages, Pull, Senders, Way, slots_of};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

/// Moves one rank's elements once, by reading from its senders.
pub(super) struct Puller<'a> {
    pub prepared: &'a mut Prepared,
    pub copying: &'a mut Copying,
    pub messages: &'a mut Option<Arc<Messages>>,
}

impl Puller<'_> {
    /// Reads the elements for this rank, and packs messages for receivers that wait for some. A
    /// fault of a sender does not reach this rank's receivers.
    ///
    /// # Errors
    /// A sender is at fault; nothing is written then, if it is known before data are shown.
    pub fn pull(
        mut self,
        mut pull: Pull<'_>,
        source: &[u8],
        to: &mut UnpackTo<'_>,
    ) -> Result<(), Error> {
        let copied = catch_unwind(AssertUnwindSafe(|| self.copy(&mut pull, source, to)));
        if !matches!(copied, Ok(Ok(()))) {
            // After a panic, the pull's drop sends empty messages to receivers that wait for some.
            self.prepare(&mut *pull.channel);
            pull.channel.fail();
        }
        let outcome = copied.unwrap_or_else(|panic| resume_unwind(panic));
        if pull.is_a_message_wanted() {
            let messages = self.prepare(&mut *pull.channel);
            let Self { prepared, copying, .. } = self;
            send_packed((&mut *pull.channel, copying, &messages), |messages, packed| {
                prepared.packing().pack_and_tell(source, messages, packed)
            })?;
        }
        outcome
    }

    /// Reads the elements for this rank, and shows its receivers what they read.
    fn copy(
        &mut self,
        pull: &mut Pull<'_>,
        source: &[u8],
        to: &mut UnpackTo<'_>,
    ) -> Result<(), Error> {
        let by_chunks = pull.channel.way().0 == Way::Chunks;
        if by_chunks && let Some(slots) = slots_of(&mut *pull.channel) {
            slots.stage(source, &self.prepared.staged().own);
        }
        let mut outcome = pull.senders();
        match slots_of(&mut *pull.channel).is_some_and(|slots| slots.are_used()) {
            true if by_chunks => self.by_chunks(pull, source, to, &mut outcome),
            true => self.pack_in_slots(pull, source, &mut outcome),
            false => {}
        }
        outcome.and_then(|()| self.read(pull, to))
    }

    fn by_chunks(
        &mut self,
        pull: &mut Pull<'_>,
        source: &[u8],
        to: &mut UnpackTo<'_>,
        outcome: &mut Result<(), Error>,
    ) {
        let Some(slots) = slots_of(&mut *pull.channel) else { return };
        let staged = self.prepared.staged();
        staged.begin();
        loop {
            let stores = slots.stores();
            let Some(chunks) = slots.next_chunks(source, &staged.own, outcome) else { break };
            self.copying.counter.count(|calls| &mut calls.rounds);
            self.copying.counter.bytes += staged.copy_round(chunks, source, to, stores);
        }
        if outcome.is_ok() {
            staged.end();
        }
    }

    /// Packs messages into slots, unless they are packed, and waits for the senders' messages.
    fn pack_in_slots(
        &mut self,
        pull: &mut Pull<'_>,
        source: &[u8],
        outcome: &mut Result<(), Error>,
    ) {
        let Some(slots) = slots_of(&mut *pull.channel) else { return };
        let Self { prepared, copying, .. } = self;
        if let Some(rooms) = slots.rooms() {
            copying.pack(|list| rooms.add_to(list), |list| prepared.packing().pack(source, list));
        }
        slots.packed(outcome);
        copying.counter.count(|calls| &mut calls.rounds);
    }

    fn read(&mut self, pull: &mut Pull<'_>, to: &mut UnpackTo<'_>) -> Result<(), Error> {
        let Self { prepared, copying, .. } = self;
        let bytes = match (pull.channel.senders_give(), to) {
            (Senders::Chunks, _) => return Ok(()),
            (Senders::Packed, to) => {
                self.unpack_slots(pull, to);
                return Ok(());
            }
            (Senders::Mixed, to) => return self.read_with_messages(pull, to),
            (Senders::Arrays, UnpackTo::Array(destination)) => {
                prepared.copies(false).copy(pull.sources(), destination)
            }
            (Senders::Arrays | Senders::SomeArrays, to) => {
                prepared.visited().copy(pull.sources(), to)
            }
        };
        copying.counter.bytes += bytes;
        copying.counter.count(|calls| &mut calls.copied);
        Ok(())
    }

    /// Unpacks the messages that the senders have packed in slots.
    fn unpack_slots(&mut self, pull: &mut Pull<'_>, to: &mut UnpackTo<'_>) {
        let Some(slots) = slots_of(&mut *pull.channel) else { return };
        let Self { prepared, copying, .. } = self;
        copying.unpack(
            |list| slots.add_messages(list),
            |list| prepared.unpacking().unpack_to(to, list, &mut whole),
        );
    }

    fn read_with_messages(
        &mut self,
        pull: &mut Pull<'_>,
        to: &mut UnpackTo<'_>,
    ) -> Result<(), Error> {
        let messages = self.prepare(&mut *pull.channel);
        pull.channel.receive()?;
        let Self { prepared, copying, .. } = self;
        copying.counter.count(|calls| &mut calls.copied);
        let mut copied = prepared.visited().copy(pull.sources(), to);
        let Pairs { program, walk, width } = prepared.singly();
        for (number, Envelope { rank, .. }) in messages.incoming.envelopes.iter().enumerate() {
            let Some(message) = pull.channel.message(number) else { continue };
            program.for_each_of(walk, *rank, &mut |strided| to.put(message, strided, *width));
            copied.own += message.len();
        }
        copying.counter.bytes += copied;
        Ok(())
    }

    fn prepare(&mut self, channel: &mut dyn Channel) -> Arc<Messages> {
        let made = self.messages.get_or_insert_with(|| {
            // A move in rounds cannot be begun, so that all messages are of one.
            let messages = Arc::new(self.prepared.messages(None, (0, None)));
            channel.prepare_messages(Arc::clone(&messages));
            messages
        });
        Arc::clone(made)
    }
}
