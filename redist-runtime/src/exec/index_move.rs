//! Moves by lists of indices, which each rank knows for itself alone.

use super::arrays::BatchArrays;
use super::calls::CopiedBytes;
use super::exchange::MessageExchange;
use super::list_copier::ListCopier;
use crate::element::{Element, ElementType};
use crate::error::Error;
use crate::plan::Side;
use crate::plan::schedule::Method;
use crate::program::Envelope;
use crate::program::lists::{IndexList, ListMessage, ListProgram, ListSides, Neighbours};
use crate::transport::{
    GoesOn, Lists, MessageSizes, Messages, Options, Partners, Proposal, RankGroup, Route, Transport,
};
use core::marker::PhantomData;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A move by the global indices of each rank's elements, before and after.
///
/// Each rank brings its own two [`IndexList`]s, of which no other rank has to know. An index may be
/// wanted by any ranks, and any number of times. It is in one source list, unless elements are
/// declared [`equal`](IndexMove::equal). A list may also be that of a layout
/// ([`IndexList::of`]). Runs of neighbours, and indices at equal distances, are found and copied as
/// such.
///
/// ```
/// # use redist_runtime as redist;
/// # use redist::program::lists::IndexList;
/// use redist::exec::IndexMove; // and `IndexList`
/// use redist::{Side, threads};
///
/// threads::run(3, |rank| {
///     // Rows 4 r..4 r + 4 are on rank r, and go where their number modulo 3 says, backwards.
///     let own: Vec<usize> = (4 * rank.rank()..4 * rank.rank() + 4).collect();
///     let wanted: Vec<usize> = (0..12).rev().filter(|row| row % 3 == rank.rank()).collect();
///     let lists = [IndexList::new(&own), IndexList::new(&wanted)];
///     let mut bound = IndexMove::<u32>::new(12, lists).bind(rank)?;
///     let rows: Vec<u32> = own.iter().map(|row| 10 * *row as u32).collect();
///     let mut found = vec![0; bound.local_len(Side::Destination)];
///     bound.run(&rows, &mut found)?;
///     assert!(found.iter().zip(wanted).all(|(found, row)| *found == 10 * row as u32));
///     Ok::<_, redist::Error>(())
/// })?;
/// # Ok::<(), redist::threads::Failure<redist::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a move does nothing before `bind`"]
pub struct IndexMove<T> {
    /// Number of all indices.
    extent: usize,
    /// Indices of this rank's elements, by side.
    lists: [IndexList; 2],
    /// `true` if elements of one index are equal on all ranks.
    are_equal: bool,
    element: PhantomData<fn() -> T>,
}

/// The first of the numbers that ranks compare: those of no plan and of no batch begin with it.
const BY_LISTS: u64 = u64::MAX;

impl<T: Element> IndexMove<T> {
    /// Moves elements of the indices `0..extent`, from places in one list to those in the other.
    pub fn new(extent: usize, lists: [IndexList; 2]) -> Self {
        Self { extent, lists, are_equal: false, element: PhantomData }
    }

    /// Declares elements that several ranks have under one index equal: those of the lowest rank
    /// travel. The same on all ranks.
    pub fn equal(self) -> Self {
        Self { are_equal: true, ..self }
    }

    /// Plans with all ranks of a communicator. Collective.
    ///
    /// # Errors
    /// On all ranks, if an index is not below the extent, is in two source lists and not declared
    /// equal, or is wanted and in none. Also if ranks bring different extents or element types.
    pub fn bind<C: Transport>(&self, communicator: &C) -> Result<BoundIndexMove<T>, Error> {
        let (rank, size) = (communicator.rank(), communicator.size());
        let numbers = [BY_LISTS, self.extent as u64, self.are_equal.into()];
        let sides = ListSides {
            extent: self.extent,
            lists: [&self.lists[0], &self.lists[1]],
            are_equal: self.are_equal,
        };
        let mut meeting = Meeting::new(communicator, &numbers)?;
        let planned = ListProgram::plan(&sides, &mut meeting)?;
        drop(meeting);
        let planned = planned.map_err(|error| Error::Batch { rank, reason: error.to_string() });
        let partners = || partners(rank, planned.as_ref().map_or(&[][..], |own| &own.messages));
        let options = Options { route: Route::Messages, ..Options::default() };
        let extent = self.extent;
        let proposal = Proposal {
            element: ElementType::of::<T>(),
            numbers: &numbers,
            description: format_args!("a move by lists of {extent} indices on {size} ranks"),
            method: Method::AllAtOnce,
            arrays: &Arc::default(),
            partners: &partners,
            options: &options,
            sizes: MessageSizes::NEVER,
        };
        let proposal = planned.as_ref().map(|_| proposal).map_err(Error::clone);
        let mut exchange = MessageExchange::new(communicator.open(proposal)?);
        let ListProgram { messages, lens } = planned?;
        let width = size_of::<T>();
        let [outgoing, incoming] =
            [0, 1].map(|side: usize| Lists::new(&envelopes(&messages[side]), width));
        exchange.prepare(Messages { outgoing, incoming, order: None });
        let copiers = messages.map(|messages| {
            messages.iter().map(|message| ListCopier::new(&message.runs, width)).collect()
        });
        Ok(BoundIndexMove { rank, lens, copiers, exchange, element: PhantomData })
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

/// A bound [`IndexMove`]; runs as often as wanted.
pub struct BoundIndexMove<T> {
    /// This rank's number in the communicator.
    rank: usize,
    /// Elements of the local arrays, by side.
    lens: [usize; 2],
    /// Copies between local arrays and messages, by side.
    copiers: [Vec<ListCopier>; 2],
    exchange: MessageExchange,
    element: PhantomData<*mut T>,
}

impl<T: Element> BoundIndexMove<T> {
    /// Returns the number of this rank's elements on one side.
    pub fn local_len(&self, side: Side) -> usize {
        self.lens[side as usize]
    }

    /// Describes [`run`](Self::run) on this rank: its messages, and the runs that it copies.
    pub fn explain(&self) -> String {
        let messages = self.exchange.messages.as_ref().expect("made when it is bound");
        let of = |lists: &Lists, side: usize| {
            let others = lists.envelopes.iter().filter(|message| message.rank != self.rank);
            let runs: usize = self.copiers[side].iter().map(ListCopier::runs).sum();
            format!("{} elements in {runs} runs, {} messages", self.lens[side], others.count())
        };
        let (out, come) = (of(&messages.outgoing, 0), of(&messages.incoming, 1));
        format!("rank {}: has {out} out; is to have {come} in", self.rank)
    }

    /// Moves all elements. Collective.
    ///
    /// # Errors
    /// A local array of this rank or of a sender has another length, or a sender is gone. The
    /// destination of a rank with an error has not changed.
    pub fn run(&mut self, source: &[T], destination: &mut [T]) -> Result<(), Error> {
        let ready = self.lengths([source.len(), destination.len()]);
        let arrays = BatchArrays::new(source, destination);
        let Self { copiers: [packers, unpackers], exchange, .. } = self;
        exchange.channel.begin_call(false)?;
        // No function of the caller runs from here on.
        exchange.channel.end_call(None);
        exchange.channel.begin(ready, GoesOn::WithSenders)?;
        exchange.send(|messages, _| {
            let mut own = CopiedBytes::default();
            for (packer, message) in packers.iter().zip(messages) {
                own.own += packer.pack(arrays.source, message);
            }
            own
        })?;
        exchange.channel.agree()?;
        let lens: Vec<usize> = exchange
            .messages
            .iter()
            .flat_map(|all| all.incoming.bytes.iter().map(|message| message.len()))
            .collect();
        exchange.receive(|messages, refill| {
            let mut own = CopiedBytes::default();
            for (number, (unpacker, message)) in unpackers.iter().zip(messages).enumerate() {
                if !refill(number, message, lens[number]) {
                    return own;
                }
                own.own += unpacker.unpack(message, arrays.destination);
                *message = &message[lens[number]..];
            }
            own
        })
    }

    fn lengths(&self, found: [usize; 2]) -> Result<(), Error> {
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
}

/// The ranks of a communicator while they plan: each step of the [router](crate::program::lists) is
/// two moves, of a length and of the words.
struct Meeting {
    /// This rank's number in the communicator.
    rank: usize,
    /// Ranks of the communicator.
    size: usize,
    exchange: MessageExchange,
}

impl Meeting {
    fn new(communicator: &impl RankGroup, numbers: &[u64]) -> Result<Self, Error> {
        let (rank, size) = (communicator.rank(), communicator.size());
        let options = Options { route: Route::Messages, ..Options::default() };
        let partners = || Partners::new(rank, size, |_, _| true);
        let proposal = Proposal {
            element: ElementType::of::<u64>(),
            numbers,
            description: format_args!("lists of indices on {size} ranks"),
            method: Method::AllAtOnce,
            arrays: &Arc::default(),
            partners: &partners,
            options: &options,
            sizes: MessageSizes::NEVER,
        };
        let exchange = MessageExchange::new(communicator.open(Ok(proposal))?);
        Ok(Self { rank, size, exchange })
    }

    /// Moves words to a rank and from some ranks, of known numbers.
    fn moved(
        &mut self,
        to: Option<(usize, &[u64])>,
        from: &[(usize, usize)],
    ) -> Result<Vec<Vec<u64>>, Error> {
        let width = size_of::<u64>();
        let mut come: Vec<(usize, usize, usize)> =
            from.iter().zip(0..).map(|((rank, len), at)| (*rank, *len, at)).collect();
        come.retain(|(_, len, _)| *len > 0);
        come.sort_unstable();
        let out = to.iter().map(|(rank, words)| Envelope { rank: *rank, len: words.len() });
        let outgoing: Vec<Envelope> = out.filter(|envelope| envelope.len > 0).collect();
        let incoming: Vec<Envelope> =
            come.iter().map(|(rank, len, _)| Envelope { rank: *rank, len: *len }).collect();
        let [outgoing, incoming] = [outgoing, incoming].map(|all| Lists::new(&all, width));
        let exchange = &mut self.exchange;
        exchange.channel.begin_call(false)?;
        exchange.channel.end_call(None);
        exchange.channel.begin(Ok(()), GoesOn::WithSenders)?;
        exchange.prepare(Messages { outgoing, incoming, order: None });
        exchange.send(|messages, _| {
            for (message, (_, words)) in messages.iter_mut().zip(to) {
                for (place, word) in message.chunks_exact_mut(width).zip(words) {
                    place.copy_from_slice(&word.to_le_bytes());
                }
            }
            CopiedBytes::default()
        })?;
        exchange.channel.agree()?;
        let mut all = vec![Vec::new(); from.len()];
        exchange.receive(|messages, refill| {
            for (number, message) in messages.iter_mut().enumerate() {
                let (_, len, at) = come[number];
                if !refill(number, message, len * width) {
                    return CopiedBytes::default();
                }
                let (own, rest) = message.split_at(len * width);
                let (words, _) = own.as_chunks::<8>();
                all[at] = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
                *message = rest;
            }
            CopiedBytes::default()
        })?;
        Ok(all)
    }
}

impl Neighbours for Meeting {
    type Error = Error;

    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.size
    }

    fn exchange(
        &mut self,
        to: Option<usize>,
        words: Vec<u64>,
        from: &[usize],
    ) -> Result<Vec<Vec<u64>>, Error> {
        let one: Vec<(usize, usize)> = from.iter().map(|rank| (*rank, 1)).collect();
        let len = [words.len() as u64];
        let lens = self.moved(to.map(|to| (to, &len[..])), &one)?;
        let lens = lens.iter().map(|words| words.first().map_or(0, |len| *len as usize));
        let come: Vec<(usize, usize)> = from.iter().copied().zip(lens).collect();
        self.moved(to.map(|to| (to, &words[..])), &come)
    }
}

#[cfg(test)]
mod tests;
