//! One rank's messages and the channel that carries them. Unsafe, because a transport sends packed
//! messages while others are being packed.

use super::calls::{CopiedBytes, Counter};
use super::transfer::{Refill, whole};
use crate::error::Error;
use crate::transport::{Channel, Messages, Outbox};
use std::mem;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

/// One rank's packed messages, in any move of a plan.
pub(super) struct MessageExchange {
    pub channel: OwnChannel,
    /// Places of all messages in their buffers; `None` until a move first needs some.
    pub messages: Option<Arc<Messages>>,
    pub copying: Copying,
    /// Bytes of each incoming message that unpacking has been given so far.
    given: Vec<usize>,
}

/// The channel of a plan, which is [left](crate::transport::Messaging::leave_behind) when the plan
/// is dropped.
pub(super) struct OwnChannel(Option<Box<dyn Channel>>);

impl Deref for OwnChannel {
    type Target = dyn Channel;

    fn deref(&self) -> &Self::Target {
        self.0.as_deref().expect("it is there until it is dropped")
    }
}

impl DerefMut for OwnChannel {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0.as_deref_mut().expect("it is there until it is dropped")
    }
}

impl Drop for OwnChannel {
    fn drop(&mut self) {
        if let Some(channel) = self.0.take() {
            channel.leave_behind();
        }
    }
}

/// Counts of a rank's copies, and lists that moves reuse.
#[derive(Default)]
pub(super) struct Copying {
    pub counter: Counter,
    /// Kept between moves for their allocation only.
    outgoing: Vec<&'static mut [u8]>,
    /// Kept between moves for their allocation only, as `outgoing`.
    incoming: Vec<&'static [u8]>,
}

impl Copying {
    pub fn pack<'m>(
        &mut self,
        add_rooms: impl FnOnce(&mut Vec<&'m mut [u8]>),
        pack: impl FnOnce(&mut [&'m mut [u8]]) -> CopiedBytes,
    ) {
        let mut rooms = recycle(mem::take(&mut self.outgoing));
        add_rooms(&mut rooms);
        self.counter.count(|calls| &mut calls.packed);
        self.counter.bytes += pack(&mut rooms);
        self.outgoing = recycle(rooms);
    }

    pub fn unpack<'m>(
        &mut self,
        add_messages: impl FnOnce(&mut Vec<&'m [u8]>),
        unpack: impl FnOnce(&mut [&'m [u8]]) -> CopiedBytes,
    ) {
        let mut messages = recycle(mem::take(&mut self.incoming));
        add_messages(&mut messages);
        self.counter.count(|calls| &mut calls.unpacked);
        self.counter.bytes += unpack(&mut messages);
        self.incoming = recycle(messages);
    }
}

/// Empties a list and keeps its allocation for elements of another lifetime. `A` and `B` differ in
/// lifetimes only, so the standard library collects in place.
fn recycle<A, B>(mut list: Vec<A>) -> Vec<B> {
    const { assert!(size_of::<A>() == size_of::<B>() && align_of::<A>() == align_of::<B>()) };
    list.clear();
    list.into_iter().map(|_| -> B { unreachable!("the list is empty") }).collect()
}

/// Reports the first message that may be packed further, and the bytes still to pack from it on.
pub(super) type ReportPacked<'r> = dyn for<'a, 'm> FnMut(usize, &'a [&'m mut [u8]]) + 'r;

/// Packs and sends all messages if this rank is ready; overlaps both if the transport can.
pub(super) fn send_packed(
    (channel, copying, messages): (&mut dyn Channel, &mut Copying, &Messages),
    pack: impl FnOnce(&mut [&mut [u8]], &mut ReportPacked<'_>) -> CopiedBytes,
) -> Result<(), Error> {
    if let Some(Outbox { rooms, mut posting }) = channel.begin_messages()? {
        let (lens, mut sent) = (&messages.outgoing.bytes, Ok(()));
        let mut packed = |first: usize, left: &[&mut [u8]]| {
            let Some(posting) = &mut posting else { return };
            let bytes = |number: usize| lens[number].len() - left[number - first].len();
            // SAFETY: messages are packed from their fronts on, so only their rests are still
            // to be written.
            sent = mem::replace(&mut sent, Ok(()))
                .and_then(|()| unsafe { posting.packed(first..first + left.len(), bytes) });
        };
        let done = catch_unwind(AssertUnwindSafe(|| {
            let add_rooms = |list: &mut Vec<_>| rooms.add_to(&messages.outgoing, list);
            copying.pack(add_rooms, |list| pack(list, &mut packed));
        }));
        if let Err(panic) = done {
            // Release the peers that wait for messages not packed yet.
            let _ = channel.leave();
            resume_unwind(panic);
        }
        sent?;
    }
    channel.send()
}

impl MessageExchange {
    pub fn new(channel: Box<dyn Channel>) -> Self {
        Self {
            channel: OwnChannel(Some(channel)),
            messages: None,
            copying: Copying::default(),
            given: Vec::new(),
        }
    }

    pub fn prepare(&mut self, messages: Messages) {
        let messages = Arc::new(messages);
        let incoming = messages.incoming.envelopes.len();
        self.copying.outgoing.reserve(messages.outgoing.envelopes.len());
        self.copying.incoming.reserve(incoming);
        self.given.reserve(incoming);
        self.channel.prepare_messages(Arc::clone(&messages));
        self.messages = Some(messages);
    }

    pub fn send(
        &mut self,
        pack: impl FnOnce(&mut [&mut [u8]], &mut ReportPacked<'_>) -> CopiedBytes,
    ) -> Result<(), Error> {
        let Self { channel, copying, messages, .. } = self;
        let messages = messages.as_ref().expect("messages are prepared before they are sent");
        send_packed((&mut **channel, copying, messages), pack)
    }

    pub fn receive(
        &mut self,
        unpack: impl for<'m> FnOnce(&mut [&'m [u8]], &mut Refill<'_, 'm>) -> CopiedBytes,
    ) -> Result<(), Error> {
        let Self { channel, copying, messages, given } = self;
        let count = messages.as_ref().map_or(0, |messages| messages.incoming.envelopes.len());
        if channel.facts().receives {
            given.clear();
            given.resize(count, 0);
            let mut inbox = channel.inbox().expect("a rank that receives has an inbox");
            let (none, mut arrived) = (|list: &mut Vec<&[u8]>| list.resize(count, &[]), Ok(()));
            copying.unpack(none, |list| {
                unpack(list, &mut |message, left, bytes| {
                    let used = given[message] - left.len();
                    let all = inbox.up_to(message, used + bytes);
                    match all {
                        Ok(all) => (given[message], *left) = (all.len(), &all[used..]),
                        Err(error) => arrived = Err(error),
                    }
                    arrived.is_ok()
                })
            });
            channel.all().and(arrived)?;
        } else {
            channel.all()?;
            let message =
                |number| channel.message(number).expect("all messages of the move are there");
            let add_messages = |list: &mut Vec<_>| list.extend((0..count).map(message));
            copying.unpack(add_messages, |list| unpack(list, &mut whole));
        }
        channel.end();
        Ok(())
    }
}
