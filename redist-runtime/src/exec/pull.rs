//! Moves in which a thread reads the arrays of its senders. Senders that have only begun the move
//! have packed messages, and receivers that have only begun it wait for some.

use super::combine::UnpackTo;
use super::exchange::{Copying, send_packed};
use super::prepared::Prepared;
use crate::error::Error;
use crate::transport::{Channel, Messages, Pull};
use std::sync::Arc;

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
    /// A sender is at fault; nothing is written then.
    pub fn pull(
        mut self,
        mut pull: Pull<'_>,
        source: &[u8],
        to: &mut UnpackTo<'_>,
    ) -> Result<(), Error> {
        let outcome = pull.senders();
        if outcome.is_ok() {
            self.read(&mut pull, to);
        }
        if pull.is_a_message_wanted() {
            let messages = self.prepare(&mut *pull.channel);
            let Self { prepared, copying, .. } = self;
            send_packed((&mut *pull.channel, copying, &messages), |messages, packed| {
                prepared.packing().pack_and_tell(source, messages, packed)
            })?;
        }
        outcome
    }

    fn read(&mut self, pull: &mut Pull<'_>, to: &mut UnpackTo<'_>) {
        let counter = &mut self.copying.counter;
        counter.count(|calls| &mut calls.copied);
        match to {
            _ if pull.channel.has_messages() => self.read_with_messages(pull, to),
            UnpackTo::Function(_) => _ = self.prepared.visited().visit(pull.sources(), to),
            UnpackTo::Array(destination) => {
                counter.bytes += self.prepared.direct().copy(pull.sources(), destination);
            }
        }
    }

    fn read_with_messages(&mut self, pull: &mut Pull<'_>, to: &mut UnpackTo<'_>) {
        let messages = self.prepare(&mut *pull.channel);
        pull.channel.receive();
        let Self { prepared, copying, .. } = self;
        let mut copied = prepared.visited().visit(pull.sources(), to);
        for number in 0..messages.incoming.envelopes.len() {
            let Some(message) = pull.channel.received(number) else { continue };
            prepared.unpacking().unpack_message_to(to, number, message);
            copied.walked += message.len();
        }
        copying.counter.bytes += to.counted(copied);
    }

    /// Registers the messages with the channel, once.
    fn prepare(&mut self, channel: &mut dyn Channel) -> Arc<Messages> {
        let made = self.messages.get_or_insert_with(|| {
            // A move in rounds cannot be begun, so that all messages are of one.
            let messages = Arc::new(self.prepared.messages(None, None));
            channel.prepare_messages(Arc::clone(&messages));
            messages
        });
        Arc::clone(made)
    }
}
