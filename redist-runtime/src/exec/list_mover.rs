//! One rank's end of moves by lists, of elements of any type.

use super::calls::CopiedBytes;
use super::exchange::MessageExchange;
use super::list_copier::{ListCopier, StayCopier};
use super::list_volume::ListVolume;
use super::meeting::Meeting;
use crate::element::ElementType;
use crate::error::Error;
use crate::layout::vocabulary::counted;
use crate::plan::Side;
use crate::plan::schedule::Method;
use crate::program::Envelope;
use crate::program::lists::{ListMessage, ListProgram, ListSides};
use crate::transport::{
    GoesOn, Lists, MessageSizes, Messages, Options, Partners, Proposal, Route, Transport,
};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::mem;
use std::sync::Arc;

/// A bound move by lists. Arrays are the bytes of elements.
pub(super) struct ListMover {
    /// This rank's number in the communicator.
    pub rank: usize,
    /// Elements of the local arrays, by side.
    pub lens: [usize; 2],
    /// Copies between local arrays and messages, by side.
    copiers: [Vec<ListCopier>; 2],
    /// Copies of the elements that stay on this rank.
    stays: StayCopier,
    /// Messages to each rank and from it, this one among them, in numbers; by side and increasing rank.
    volumes: [Vec<ListVolume>; 2],
    /// Elements that stay.
    stay: usize,
    /// Bytes of an element.
    width: usize,
    /// Bytes of each incoming message.
    incoming: Vec<usize>,
    /// Elements that stay, between the two calls of a move that is started.
    kept: Vec<u8>,
    pub exchange: MessageExchange,
}

/// The first of the numbers that ranks compare: those of no plan and of no batch begin with it.
const BY_LISTS: u64 = u64::MAX;

impl ListMover {
    /// Plans with all ranks of a communicator. Collective.
    ///
    /// # Errors
    /// A rank's lists have a mistake, or ranks bring different extents or element types.
    pub fn new<C: Transport>(
        sides: &ListSides<'_>,
        element: ElementType,
        communicator: &C,
    ) -> Result<Self, Error> {
        let (rank, size, extent) = (communicator.rank(), communicator.size(), sides.extent);
        let numbers = [BY_LISTS, extent as u64, sides.are_equal.into()];
        let mut meeting = Meeting::new(communicator, &numbers, extent)?;
        let planned = ListProgram::plan(sides, &mut meeting)?;
        drop(meeting);
        let planned = planned.map_err(|error| Error::Batch { rank, reason: error.to_string() });
        let partners = || partners(rank, planned.as_ref().map_or(&[][..], |own| &own.messages));
        let options = Options { route: Route::Messages, ..Options::default() };
        let proposal = Proposal {
            element,
            numbers: &numbers,
            description: format_args!("a move by lists of {extent} indices on {size} ranks"),
            method: Method::AllAtOnce,
            arrays: &Arc::default(),
            partners: &partners,
            options: &options,
            sizes: MessageSizes::NEVER,
        };
        let proposal = planned.as_ref().map(|_| proposal).map_err(Error::clone);
        let exchange = MessageExchange::new(communicator.open(proposal)?);
        Ok(Self::of(rank, planned?, element.bytes(), exchange))
    }

    fn of(rank: usize, own: ListProgram, width: usize, mut exchange: MessageExchange) -> Self {
        let ListProgram { mut messages, lens } = own;
        let of_itself = messages.each_mut().map(|messages| {
            let mut found = messages.extract_if(.., |message| message.rank == rank);
            found.next().unwrap_or(ListMessage { rank, len: 0, parts: Vec::new() })
        });
        let stays = StayCopier::new(of_itself.each_ref().map(|own| &own.parts[..]), width);
        let stay = of_itself[0].len;
        let [outgoing, incoming] =
            [0, 1].map(|side: usize| Lists::new(&envelopes(&messages[side]), width));
        let lens_of_messages = incoming.bytes.iter().map(|message| message.len()).collect();
        exchange.prepare(Messages { outgoing, incoming, order: None });
        let ranks = messages
            .each_ref()
            .map(|of_side| of_side.iter().map(|message| message.rank).collect::<Vec<usize>>());
        let copiers = messages.map(|messages| -> Vec<ListCopier> {
            messages.into_iter().map(|own| ListCopier::new(own.parts, width)).collect()
        });
        let volumes = [0, 1].map(|side: usize| {
            let volume = |(copier, rank): (&ListCopier, &usize)| copier.volume(*rank);
            let mut all: Vec<_> = copiers[side].iter().zip(&ranks[side]).map(volume).collect();
            all.extend(Some(stays.volume(rank)).filter(|volume| volume.elements > 0));
            all.sort_unstable_by_key(|volume| volume.rank);
            all
        });
        let (incoming, kept) = (lens_of_messages, Vec::new());
        Self { rank, lens, copiers, stays, volumes, stay, width, incoming, kept, exchange }
    }

    /// Returns the messages to each rank, or from each, this one among them, in numbers.
    pub fn volumes(&self, side: Side) -> &[ListVolume] {
        &self.volumes[side as usize]
    }

    /// Describes a move on this rank: its messages, and the runs that it copies.
    pub fn explain(&self) -> String {
        let own = self.stays.volume(self.rank);
        let others =
            |side: usize| self.volumes[side].iter().filter(|volume| volume.rank != self.rank);
        let of = |side: usize| {
            format!(
                "{}, {} of {}",
                counted(self.lens[side], "element"),
                counted(others(side).count(), "message"),
                counted(others(side).map(|volume| volume.runs).sum(), "run")
            )
        };
        let mut text = format!(
            "rank {}: has {} out; is to have {} in; {} to its own array, in {}",
            self.rank,
            of(0),
            of(1),
            counted(own.elements, "element"),
            counted(own.runs, "run")
        );
        for (side, words) in [(0, "to"), (1, "from")] {
            for volume in others(side) {
                let _ = write!(text, "\n  {words} rank {}: {volume}", volume.rank);
            }
        }
        if own.elements > 0 {
            let _ = write!(text, "\n  to its own array: {own}");
        }
        text
    }

    /// Returns memory for all elements that a move brings; none if the rank is not ready for it.
    pub fn arrived(&self, is_ready: bool) -> Vec<u8> {
        vec![0; if is_ready { self.lens[Side::Destination as usize] * self.width } else { 0 }]
    }

    /// Checks the elements of this rank's local arrays, by side.
    ///
    /// # Errors
    /// An array has another length.
    pub fn lengths(&self, found: [usize; 2]) -> Result<(), Error> {
        let exchanged = self.lens.iter().eq(found.iter().rev());
        for side in [Side::Source, Side::Destination] {
            let (expected, found) = (self.lens[side as usize], found[side as usize]);
            if expected != found {
                let rank = self.rank;
                return Err(Error::LocalLength { rank, side, expected, found, exchanged });
            }
        }
        Ok(())
    }

    /// Moves all elements. Collective.
    ///
    /// # Errors
    /// This rank or a sender is not ready, or a sender is gone. The destination has not changed
    /// then.
    pub fn run(
        &mut self,
        ready: Result<(), Error>,
        source: &[u8],
        destination: &mut [u8],
    ) -> Result<(), Error> {
        self.begin(ready, source)?;
        self.receive(destination, |stays, destination| stays.copy(source, destination))
    }

    /// Begins a move, for which it packs all elements; [`finish`](Self::finish) ends it. Collective.
    ///
    /// # Errors
    /// Those of [`run`](Self::run). The move ends here then.
    pub fn start(&mut self, ready: Result<(), Error>, source: &[u8]) -> Result<(), Error> {
        self.begin(ready.clone(), source)?;
        if let Err(error) = ready {
            return Err(self.exchange.channel.agree().err().unwrap_or(error));
        }
        let Self { stays, kept, stay, width, .. } = self;
        kept.resize(*stay * *width, 0);
        self.exchange.copying.counter.bytes.own += stays.pack(source, kept);
        Ok(())
    }

    /// Returns `true` if [`finish`](Self::finish) would not wait.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    pub fn test(&mut self) -> Result<bool, Error> {
        self.exchange.channel.test()
    }

    /// Ends a move that has begun.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    pub fn finish(&mut self, destination: &mut [u8]) -> Result<(), Error> {
        let kept = mem::take(&mut self.kept);
        let moved =
            self.receive(destination, |stays, destination| stays.unpack(&kept, destination));
        self.kept = kept;
        moved
    }

    fn begin(&mut self, ready: Result<(), Error>, source: &[u8]) -> Result<(), Error> {
        let Self { copiers: [packers, _], exchange, .. } = self;
        exchange.channel.begin_call(false)?;
        // No function of the caller runs from here on.
        exchange.channel.end_call(None);
        exchange.channel.begin(ready, GoesOn::WithSenders)?;
        exchange.send(|messages, _| {
            let mut own = CopiedBytes::default();
            for (packer, message) in packers.iter().zip(messages) {
                own.own += packer.pack(source, message);
            }
            own
        })
    }

    /// Receives all messages, and writes none of them before all are there.
    fn receive(
        &mut self,
        destination: &mut [u8],
        copy_stays: impl FnOnce(&StayCopier, &mut [u8]) -> usize,
    ) -> Result<(), Error> {
        let Self { copiers: [_, unpackers], stays, exchange, incoming, .. } = self;
        exchange.channel.agree()?;
        exchange.receive(|messages, refill| {
            let mut own = CopiedBytes::default();
            let mut all = messages.iter_mut().zip(incoming).enumerate();
            if !all.all(|(number, (message, len))| refill(number, message, *len)) {
                return own;
            }
            for (unpacker, message) in unpackers.iter().zip(messages) {
                let len = unpacker.unpack(message, destination);
                *message = &message[len..];
                own.own += len;
            }
            own.own += copy_stays(stays, destination);
            own
        })
    }
}

fn envelopes(messages: &[ListMessage]) -> Vec<Envelope> {
    messages.iter().map(|message| Envelope { rank: message.rank, len: message.len }).collect()
}

/// Returns the partners of a rank with these messages, by side.
fn partners(own: usize, messages: &[Vec<ListMessage>]) -> Partners {
    let of = |side: usize| -> Vec<usize> {
        let messages = messages.get(side).into_iter().flatten();
        messages.map(|message| message.rank).filter(|rank| *rank != own).collect()
    };
    let (receivers, senders) = (of(0), of(1));
    let met: BTreeSet<usize> = receivers.iter().chain(&senders).copied().collect();
    Partners { senders, receivers, met: met.into_iter().collect(), divide: false }
}
