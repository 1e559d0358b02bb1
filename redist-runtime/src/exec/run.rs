//! Moves: all ranks meet, and do what they can do together.
//!
//! Unsafe, since a move lends arrays to other ranks.

use super::mover::Mover;
use super::recycle::recycle;
use crate::error::Error;
use crate::transport::{Arrays, ArrivalOrder, Shape, Source, Target};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

impl Mover {
    /// Moves everything, if this rank is `ready` and all others are. Collective.
    pub fn run(
        &mut self,
        ready: Result<(), Error>,
        source: Source<'_>,
        target: Target<'_>,
    ) -> Result<(), Error> {
        let mut arrays = Arrays { source, target };
        let Self { channel, prepared, counter, messages, .. } = self;
        // SAFETY: the shape is dropped in this function, returning or unwinding, while the arrays
        // stay borrowed. Where destinations are lent, this rank's is not used below but by way of
        // what was lent.
        let shape = unsafe { channel.meet(ready, &mut arrays) }?;
        match shape {
            Shape::Messages => {
                drop(shape);
                self.prepare_messages()?;
                self.send(arrays.source.bytes())?;
                self.complete(arrays.target.into_bytes())
            }
            Shape::Lent(lent) if lent.destinations.is_empty() => {
                counter.count(|calls| &mut calls.copied, None);
                let written = prepared.direct().copy(lent.sources, arrays.target.bytes_mut());
                counter.calls.written_bytes += written;
                lent.end()
            }
            Shape::Lent(lent) => {
                counter.count(|calls| &mut calls.shares, None);
                counter.calls.written_bytes += prepared.share().copy_lent(&lent);
                lent.end()
            }
            Shape::Chunks(mut shown) => {
                let (staged, own) = prepared.staged();
                let (source, destination) = (arrays.source.bytes(), arrays.target.bytes_mut());
                while let Some(chunks) = shown.next(source, own)? {
                    counter.count(|calls| &mut calls.rounds, None);
                    let written = staged.copy_round(chunks, (source, own), destination);
                    counter.calls.written_bytes += written;
                }
                Ok(())
            }
            Shape::Typed(types) => {
                types.exchange(arrays.source.bytes(), arrays.target.bytes_mut())?;
                // Nothing of ours runs in the middle: that would keep the others waiting.
                counter.count(|calls| &mut calls.typed, None);
                Ok(())
            }
            Shape::Parts(mut parts) => {
                let (source, destination) = (arrays.source.bytes(), arrays.target.bytes_mut());
                let messages = messages.as_deref().expect("made when a plan is bound for parts");
                while let Some(part) = parts.next()? {
                    counter.count(|calls| &mut calls.parts, None);
                    prepared.copy_part(messages, part, source, destination);
                }
                Ok(())
            }
        }
    }

    /// Begins a move that is [completed](Self::complete) later. Collective.
    pub fn start(&mut self, ready: Result<(), Error>, source: &[u8]) -> Result<(), Error> {
        self.prepare_messages()?;
        self.channel.begin(ready)?;
        self.send(source)
    }

    /// Packs and sends all messages, if this rank is ready.
    fn send(&mut self, source: &[u8]) -> Result<(), Error> {
        if let (Some(buffer), Some(messages)) = (self.channel.begin_messages()?, &self.messages) {
            let mut outgoing: Vec<&mut [u8]> = recycle(mem::take(&mut self.outgoing));
            outgoing.extend(messages.outgoing.split(buffer));
            let packed = catch_unwind(AssertUnwindSafe(|| {
                self.counter.count(|calls| &mut calls.packed, None);
                let written = self.prepared.packing().pack(source, &mut outgoing);
                self.counter.calls.written_bytes += written;
            }));
            self.outgoing = recycle(outgoing);
            if let Err(panic) = packed {
                // The others wait for what is not packed.
                let _ = self.channel.leave();
                resume_unwind(panic);
            }
        }
        self.channel.send()
    }

    /// Whether all messages are waited for, and unpacked in one walk over the local array.
    pub fn unpacks_together(&self) -> bool {
        match self.channel.arrival() {
            ArrivalOrder::Together => true,
            ArrivalOrder::InTurns => false,
            ArrivalOrder::AsTheyCome => self.prepared.unpacking().prefers_together(),
        }
    }

    /// Receives and unpacks all messages, if all ranks were ready.
    pub fn complete(&mut self, destination: &mut [u8]) -> Result<(), Error> {
        self.channel.agree()?;
        let together = self.unpacks_together();
        let unpacking = self.prepared.unpacking();
        if together {
            self.channel.all()?;
            let mut messages: Vec<&[u8]> = recycle(mem::take(&mut self.incoming));
            messages.extend(
                (0..unpacking.envelopes().len()).map(|number| self.channel.message(number)),
            );
            self.counter.count(|calls| &mut calls.unpacked, None);
            self.counter.calls.written_bytes += unpacking.unpack(destination, &mut messages);
            self.incoming = recycle(messages);
        } else {
            while let Some(number) = self.channel.next()? {
                self.counter.count(|calls| &mut calls.unpacked_alone, Some(number));
                unpacking.unpack_message(destination, number, self.channel.message(number));
            }
        }
        self.channel.end();
        Ok(())
    }
}
