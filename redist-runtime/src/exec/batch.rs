mod parts;

use self::parts::{BatchPart, BatchParts};
use super::arrays::BatchArrays;
use super::exchange::MessageExchange;
use super::prepared::Facts;
use super::redistribution::Redistribution;
use crate::element::ElementType;
use crate::error::Error;
use crate::layout::vocabulary::counted;
use crate::plan::Side;
use crate::plan::schedule::Method;
use crate::program::Envelope;
use crate::transport::{
    GoesOn, Joining, Lists, Messages, Options, Partners, Proposal, Route, Transport,
};
use core::fmt::Write as _;
use std::sync::Arc;

/// Arrays to move together; layouts, element types and numbers of dimensions may differ. A rank
/// sends each other rank at most one message, with its parts of all arrays.
///
/// ```
/// # use redist_runtime as redist;
/// use redist::exec::{Batch, BatchArrays};
/// use redist::{RuntimePlan, threads};
///
/// let field = RuntimePlan::<f64, 2>::parse([60, 8], "(block, *) onto 3", "(*, block) onto 3")?;
/// let flags = RuntimePlan::<u8, 1>::parse([60], "block onto 3", "cyclic onto 3")?;
/// threads::run(3, |rank| {
///     let mut batch = Batch::new();
///     batch.add(&field);
///     batch.add(&flags);
///     let mut bound = batch.bind(rank)?;
///     assert!(bound.explain().contains("2 arrays packed into 2 messages out"));
///     let (rows, block) = (vec![0.5; 160], vec![rank.rank() as u8; 20]);
///     let (mut columns, mut cyclic) = (vec![0.0; 3 * 60], [9; 20]);
///     columns.truncate(bound.local_len(0, redist::Side::Destination));
///     bound.run(&mut [
///         BatchArrays::new(&rows, &mut columns),
///         BatchArrays::new(&block, &mut cyclic),
///     ])?;
///     assert!(columns.iter().all(|element| *element == 0.5));
///     assert_eq!((cyclic[0], cyclic[7], cyclic[19]), (0, 1, 2));
///     Ok::<_, redist::Error>(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
#[must_use = "a batch does nothing before `bind`"]
pub struct Batch {
    members: Vec<BatchMember>,
    /// Least length of this rank's arrays, by side, whichever plans move them.
    least: Vec<[usize; 2]>,
}

struct BatchMember {
    array: usize,
    facts: Facts,
    element: ElementType,
    words: String,
}

impl Batch {
    /// Makes an empty batch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an array. Arrays are numbered from 0; all ranks must add them in the same order.
    pub fn add<R: Redistribution<D> + ?Sized, const D: usize>(&mut self, redistribution: &R) {
        self.add_to(redistribution);
        self.least.push([0; 2]);
    }

    pub(super) fn add_all_of_one<R: Redistribution<D>, const D: usize>(
        &mut self,
        redistributions: impl Iterator<Item = R>,
        lens: [usize; 2],
    ) {
        redistributions.for_each(|redistribution| self.add_to(&redistribution));
        self.least.push(lens);
    }

    fn add_to<R: Redistribution<D> + ?Sized, const D: usize>(&mut self, redistribution: &R) {
        let (plan, binder) = (redistribution.plan(), redistribution.binder());
        let (array, element) = (self.least.len(), ElementType::of::<R::Element>());
        let words = format!("{} of {}", plan.in_words(), element.identity());
        self.members.push(BatchMember { array, facts: binder.facts(0), element, words });
    }

    /// Checks all plans with all ranks of a communicator; messages go all at once. Collective.
    ///
    /// # Errors
    /// As [`bind`](Redistribution::bind), on every rank; also if the lists of arrays differ.
    pub fn bind<C: Transport>(self, communicator: &C) -> Result<BoundBatch, Error> {
        let (rank, size) = (communicator.rank(), communicator.size());
        let needed = self.members.iter().map(|member| member.facts.plan.ranks()).max();
        let enough = match needed.unwrap_or(0) {
            needed if needed > size => Err(Error::TooFewRanks { needed, size }),
            _ => Ok(()),
        };
        let types: Vec<_> = self.members.iter().map(|member| member.element).collect();
        let (numbers, words) = (self.numbers(), self.words());
        let options = Options { route: Route::Messages, ..Options::default() };
        let sends = |from: usize, to: usize| {
            self.members.iter().any(|member| member.facts.plan.volume(from, to) > 0)
        };
        let partners = || Partners::new(rank, needed.unwrap_or(0).min(size), sends);
        let proposal = Proposal {
            element: ElementType::batch(&types),
            numbers: &numbers,
            description: format_args!("{words}"),
            method: Method::AllAtOnce,
            arrays: &Arc::default(),
            partners: &partners,
            options: &options,
            joining: Joining::NEVER,
        };
        let channel = communicator.open(enough.map(|()| proposal))?;
        let members = self.members.into_iter();
        let parts = members.map(|BatchMember { array, facts, element, .. }| {
            BatchPart::new(array, &facts.on(rank), element)
        });
        let parts = BatchParts::new(parts.collect(), &self.least);
        let [outgoing, incoming] =
            [Side::Source, Side::Destination].map(|side| Lists::new(parts.envelopes(side), 1));
        let mut exchange = MessageExchange::new(channel);
        exchange.prepare(Messages { outgoing, incoming, order: None });
        Ok(BoundBatch { rank, parts, exchange })
    }

    /// Returns the numbers that ranks compare; no plan begins with 0.
    fn numbers(&self) -> Vec<u64> {
        let mut numbers = vec![0, self.members.len() as u64];
        for BatchMember { array, facts, element, .. } in &self.members {
            let plan = facts.numbers();
            let head = [*array, element.bytes(), element.alignment(), plan.len()];
            numbers.extend(head.map(|number| number as u64));
            numbers.extend(plan);
        }
        numbers
    }

    fn words(&self) -> String {
        let mut words = String::new();
        for member in &self.members {
            let _ = writeln!(words, "array {}: {}", member.array, member.words.replace('\n', "; "));
        }
        words
    }
}

/// A bound batch, made by [`Batch::bind`]; moves as often as wanted. It owns the message buffers.
pub struct BoundBatch {
    rank: usize,
    parts: BatchParts,
    exchange: MessageExchange,
}

impl BoundBatch {
    /// Returns the length of this rank's part of an array, in elements.
    ///
    /// # Panics
    /// If there is no such array.
    pub fn local_len(&self, array: usize, side: Side) -> usize {
        self.parts.local_len(array, side)
    }

    /// Returns the envelopes that this rank sends, itself included; lengths are in bytes.
    #[doc(hidden)]
    pub fn outgoing(&self) -> &[Envelope] {
        self.parts.envelopes(Side::Source)
    }

    /// Returns the envelopes that this rank receives, itself included; lengths are in bytes.
    #[doc(hidden)]
    pub fn incoming(&self) -> &[Envelope] {
        self.parts.envelopes(Side::Destination)
    }

    /// Describes [`run`](BoundBatch::run) on this rank.
    pub fn explain(&self) -> String {
        let others = |side| self.parts.envelopes(side).iter().filter(|e| e.rank != self.rank);
        let [out, come] =
            [Side::Source, Side::Destination].map(|side| counted(others(side).count(), "message"));
        let apart = self.parts.list.iter().map(|part| part.messages_to_others(self.rank));
        let mut text = format!(
            "rank {}: {} packed into {out} out, {come} in, all at once; {} out if each moved by itself",
            self.rank,
            counted(self.parts.arrays(), "array"),
            apart.sum::<usize>(),
        );
        for part in &self.parts.list {
            let _ = write!(text, "\n  array {}: {}", part.array, part.in_words());
        }
        text
    }

    /// Moves all arrays, given in the order in which they were added. Collective. Elements outside
    /// moved sections keep their values.
    ///
    /// # Errors
    /// The arrays of this rank, or of one that sends to it, differ from the plans in number, element
    /// type or length; over MPI, of any rank. Also if a sender is gone. No destination of a rank with
    /// an error has changed.
    pub fn run(&mut self, arrays: &mut [BatchArrays<'_>]) -> Result<(), Error> {
        let ready = self.parts.check(arrays, self.rank);
        let Self { parts, exchange, .. } = self;
        exchange.channel.begin_call(false)?;
        // No function of the caller runs from here on.
        exchange.channel.end_call(None);
        exchange.channel.begin(ready, GoesOn::WithSenders)?;
        exchange.send(|messages, _| parts.pack(arrays, messages))?;
        exchange.channel.agree()?;
        exchange.receive(|messages, refill| parts.unpack(arrays, messages, refill))
    }
}
