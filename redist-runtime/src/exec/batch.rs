//! Batches: several arrays in one move, with at most one message for each pair of ranks.

use super::arrays::BatchArrays;
use super::calls::CopiedBytes;
use super::exchange::MessageExchange;
use super::prepared::Facts;
use super::rank::{RankPacking, RankUnpacking};
use super::redistribution::Redistribution;
use crate::element::{Element, ElementType};
use crate::error::Error;
use crate::layout::Padding;
use crate::layout::vocabulary::counted;
use crate::plan::schedule::Method;
use crate::plan::{AnyPlan, Side};
use crate::program::Envelope;
use crate::transport::{
    GoesOn, Lists, MessageSizes, Messages, Options, Partners, Proposal, Route, Transport,
};
use core::fmt::Write as _;
use core::marker::PhantomData;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Arrays to move together; layouts, element types and numbers of dimensions may differ. A rank
/// sends each other rank at most one message, with its parts of all arrays.
///
/// ```
/// # use redist_runtime as redist;
/// use redist::exec::{Batch, BatchArrays};
/// use redist::{TypedPlan, threads};
///
/// let field = TypedPlan::<f64, 2>::parse([60, 8], "(block, *) onto 3", "(*, block) onto 3")?;
/// let flags = TypedPlan::<u8, 1>::parse([60], "block onto 3", "cyclic onto 3")?;
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
    arrays: Vec<BatchArray>,
}

/// A plan of an array; copies of an array have several.
struct BatchMember {
    /// Index of the array that the plan moves; several plans may move one array.
    array: usize,
    facts: Facts,
    words: String,
    /// Memory layouts of local arrays that are not dense, by side.
    paddings: [Option<Padding>; 2],
}

impl BatchMember {
    /// Knows the plan as a rank does.
    ///
    /// # Errors
    /// The rank has no array of such a memory layout.
    fn bring_to(&mut self, rank: usize) -> Result<(), Error> {
        self.facts.bring_to(rank);
        self.facts.pad(&self.paddings)
    }
}

/// One array of a batch on this rank.
struct BatchArray {
    element: ElementType,
    /// Lengths of this rank's longest parts, by side: it may miss in some of the array's plans.
    lens: [usize; 2],
}

impl Batch {
    /// Makes an empty batch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an array. Arrays are numbered from 0; all ranks must add them in the same order.
    pub fn add<R: Redistribution<D> + ?Sized, const D: usize>(&mut self, redistribution: &R) {
        self.add_plan(redistribution);
        self.add_array::<R::Element>([0; 2]);
    }

    /// Makes one array of the plans added last, with parts of at least these lengths.
    pub(super) fn add_array<T: Element>(&mut self, least: [usize; 2]) {
        self.add_elements(ElementType::of::<T>(), least);
    }

    /// As [`add_array`](Self::add_array), of elements whose type is a value.
    pub(super) fn add_elements(&mut self, element: ElementType, least: [usize; 2]) {
        self.arrays.push(BatchArray { element, lens: least });
    }

    pub(super) fn add_plan<R: Redistribution<D> + ?Sized, const D: usize>(
        &mut self,
        redistribution: &R,
    ) {
        let element = ElementType::of::<R::Element>().identity();
        let words = format!("{} of {element}", redistribution.plan().in_words());
        self.add_facts(redistribution.binder().facts(0), words, [None, None]);
    }

    /// Adds a plan of the next array, with its words for errors, and the memory layouts of local arrays.
    pub(super) fn add_facts(
        &mut self,
        facts: Facts,
        words: String,
        paddings: [Option<Padding>; 2],
    ) {
        self.members.push(BatchMember { array: self.arrays.len(), facts, words, paddings });
    }

    /// Checks all plans with all ranks of a communicator; messages go all at once. Collective.
    ///
    /// # Errors
    /// The errors of [`bind`](Redistribution::bind), on every rank; also if the lists of arrays
    /// differ.
    pub fn bind<C: Transport>(mut self, communicator: &C) -> Result<BoundBatch, Error> {
        let (rank, size) = (communicator.rank(), communicator.size());
        let needed = self.members.iter().map(|member| member.facts.plan.ranks()).max();
        let ready = match needed.unwrap_or(0) {
            needed if needed > size => Err(Error::TooFewRanks { needed, size }),
            _ => self.members.iter_mut().try_for_each(|member| member.bring_to(rank)),
        };
        let types: Vec<_> = self.members.iter().map(|member| self.element(member)).collect();
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
            sizes: MessageSizes::NEVER,
        };
        let exchange = MessageExchange::new(communicator.open(ready.map(|()| proposal))?);
        Ok(BoundBatch::of(rank, self, exchange))
    }

    fn element(&self, member: &BatchMember) -> ElementType {
        self.arrays[member.array].element
    }

    /// Returns the numbers that ranks compare; no plan begins with 0.
    fn numbers(&self) -> Vec<u64> {
        let mut numbers = vec![0, self.members.len() as u64];
        for member in &self.members {
            let (plan, element) = (member.facts.numbers(), self.element(member));
            let head = [member.array, element.bytes(), element.alignment(), plan.len()];
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

/// One plan of a bound batch, ready to pack and to unpack.
struct BatchPart {
    /// Index of the array that the plan moves.
    array: usize,
    plan: AnyPlan,
    packing: RankPacking,
    unpacking: RankUnpacking,
    /// Places that its messages are swapped from, to be the first of the batch's, by side.
    swaps: [Vec<usize>; 2],
}

impl BatchPart {
    fn new(array: usize, facts: &Facts) -> Self {
        let swaps = [Vec::new(), Vec::new()];
        let plan = facts.plan.clone();
        Self { array, plan, packing: facts.copier(), unpacking: facts.copier(), swaps }
    }

    fn envelopes(&self, side: usize) -> &[Envelope] {
        [self.packing.envelopes(), self.unpacking.envelopes()][side]
    }

    fn find(&mut self, all: [&[Envelope]; 2]) {
        self.swaps = [0, 1].map(|side| {
            let numbers = || (0..all[side].len()).collect::<Vec<usize>>();
            let (mut order, mut places) = (numbers(), numbers());
            let to_front = |(place, own): (usize, &Envelope)| {
                let number = all[side].partition_point(|of| of.rank < own.rank);
                let (at, other) = (places[number], order[place]);
                order.swap(place, at);
                places.swap(number, other);
                at
            };
            self.envelopes(side).iter().enumerate().map(to_front).collect()
        });
    }
}

/// Copies with some messages, which these swaps bring to the front. Copies consume messages from
/// their fronts, so the next array's elements follow.
fn with_some<M>(
    messages: &mut [M],
    swaps: &[usize],
    copy: impl FnOnce(&mut [M]) -> CopiedBytes,
) -> CopiedBytes {
    swaps.iter().enumerate().for_each(|(place, at)| messages.swap(place, *at));
    let copied = copy(&mut messages[..swaps.len()]);
    swaps.iter().enumerate().rev().for_each(|(place, at)| messages.swap(place, *at));
    copied
}

/// A bound batch, made by [`Batch::bind`]; moves as often as wanted. It owns the message buffers.
pub struct BoundBatch {
    /// This rank's number in the communicator.
    pub(super) rank: usize,
    arrays: Vec<BatchArray>,
    parts: Vec<BatchPart>,
    pub(super) exchange: MessageExchange,
}

impl BoundBatch {
    /// Makes the messages of plans as this rank knows them.
    fn of(rank: usize, batch: Batch, mut exchange: MessageExchange) -> Self {
        let Batch { members, mut arrays } = batch;
        let mut parts = Vec::with_capacity(members.len());
        let mut bytes = [const { BTreeMap::<usize, usize>::new() }; 2];
        for BatchMember { array: number, facts, .. } in members {
            let array = &mut arrays[number];
            let part = BatchPart::new(number, &facts);
            for side in [0, 1] {
                for Envelope { rank, len } in part.envelopes(side) {
                    *bytes[side].entry(*rank).or_default() += len * facts.width;
                }
                array.lens[side] = array.lens[side].max(facts.arrays[side].len);
            }
            parts.push(part);
        }
        let envelope = |(rank, len)| Envelope { rank, len };
        let [outgoing, incoming] =
            bytes.map(|bytes| bytes.into_iter().map(envelope).collect::<Vec<_>>());
        parts.iter_mut().for_each(|part| part.find([&outgoing, &incoming]));
        let [outgoing, incoming] = [outgoing, incoming].map(|all| Lists::new(&all, 1));
        exchange.prepare(Messages { outgoing, incoming, order: None });
        Self { rank, arrays, parts, exchange }
    }

    /// Returns the length of this rank's part of an array, in elements.
    ///
    /// # Panics
    /// If there is no such array.
    pub fn local_len(&self, array: usize, side: Side) -> usize {
        self.arrays[array].lens[side as usize]
    }

    /// Returns the extents of this rank's part of an array; zeros if it has none. An array without
    /// dimensions counts as an array of one.
    ///
    /// # Panics
    /// If there is no such array.
    pub fn local_shape(&self, array: usize, side: Side) -> Vec<usize> {
        let array = self.plan_of(array).descriptor(side);
        array.local_extents(self.rank).unwrap_or_else(|| vec![0; array.dimensions()])
    }

    /// Lists the global indices of this rank's part of an array, in its storage order.
    ///
    /// # Panics
    /// If there is no such array.
    pub fn global_indices(
        &self,
        array: usize,
        side: Side,
    ) -> impl ExactSizeIterator<Item = Vec<usize>> + use<> {
        self.plan_of(array).descriptor(side).global_indices(self.rank)
    }

    /// Returns the only plan of an array.
    fn plan_of(&self, array: usize) -> &AnyPlan {
        let part = self.parts.iter().find(|part| part.array == array);
        &part.unwrap_or_else(|| panic!("there is no array {array} in the batch")).plan
    }

    /// Returns the envelopes that this rank sends, itself included; lengths are in bytes.
    #[doc(hidden)]
    pub fn outgoing(&self) -> &[Envelope] {
        &self.messages().outgoing.envelopes
    }

    /// Returns the envelopes that this rank receives, itself included; lengths are in bytes.
    #[doc(hidden)]
    pub fn incoming(&self) -> &[Envelope] {
        &self.messages().incoming.envelopes
    }

    fn messages(&self) -> &Messages {
        self.exchange.messages.as_ref().expect("made when the batch is bound")
    }

    /// Describes [`run`](BoundBatch::run) on this rank.
    pub fn explain(&self) -> String {
        let others =
            |all: &[Envelope]| all.iter().filter(|envelope| envelope.rank != self.rank).count();
        let [out, come] =
            [self.outgoing(), self.incoming()].map(|all| counted(others(all), "message"));
        let mut text = format!(
            "rank {}: {} packed into {out} out, {come} in, all at once; {} out if each moved by itself",
            self.rank,
            counted(self.arrays.len(), "array"),
            self.parts.iter().map(|part| others(part.envelopes(0))).sum::<usize>(),
        );
        for BatchPart { array, packing, unpacking, .. } in &self.parts {
            let name = self.arrays[*array].element.name();
            let [packs, unpacks] = [packing.kernel(), unpacking.kernel()];
            let _ =
                write!(text, "\n  array {array}: {name}, packed by {packs}, unpacked by {unpacks}");
        }
        text
    }

    /// Moves all arrays, given in the order in which they were added. Collective. Elements outside
    /// moved sections keep their values.
    ///
    /// # Errors
    /// The arrays of this rank or of a sender differ from the plans in number, element type or
    /// length; over MPI, of any rank. Also if a sender is gone. No destination of a rank with an
    /// error has changed.
    pub fn run(&mut self, arrays: &mut [BatchArrays<'_>]) -> Result<(), Error> {
        let ready = self.check(arrays);
        self.begin(ready, arrays)?;
        self.complete(arrays)
    }

    fn begin(&mut self, ready: Result<(), Error>, arrays: &[BatchArrays<'_>]) -> Result<(), Error> {
        let Self { parts, exchange, .. } = self;
        exchange.channel.begin_call(false)?;
        // No function of the caller runs from here on.
        exchange.channel.end_call(None);
        exchange.channel.begin(ready, GoesOn::WithSenders)?;
        exchange.send(|messages, _| {
            let mut copied = CopiedBytes::default();
            for BatchPart { array, packing, swaps: [swaps, _], .. } in &*parts {
                let source = arrays[*array].source;
                copied += with_some(messages, swaps, |own| packing.pack(source, own));
            }
            copied
        })
    }

    /// Ends a move that has begun.
    fn complete(&mut self, arrays: &mut [BatchArrays<'_>]) -> Result<(), Error> {
        let Self { parts, exchange, .. } = self;
        receive(parts, exchange, |part, messages| {
            part.unpacking.unpack(&mut *arrays[part.array].destination, messages)
        })
    }

    /// Ends a move that has begun, into these destinations.
    pub(super) fn complete_into(&mut self, destinations: &mut [&mut [u8]]) -> Result<(), Error> {
        let Self { parts, exchange, .. } = self;
        receive(parts, exchange, |part, messages| {
            part.unpacking.unpack(&mut *destinations[part.array], messages)
        })
    }

    /// Panics if destinations differ from the batch's arrays in number or length.
    pub(super) fn check_destinations(&self, destinations: &[&mut [u8]]) {
        assert_eq!(destinations.len(), self.arrays.len(), "a destination for each array");
        for (array, destination) in self.arrays.iter().zip(destinations) {
            let bytes = array.lens[Side::Destination as usize] * array.element.bytes();
            assert_eq!(destination.len(), bytes, "bytes of the destination, as started");
        }
    }

    /// Returns `true` if a move that has begun would not wait.
    pub(super) fn test(&mut self) -> Result<bool, Error> {
        self.exchange.channel.test()
    }

    /// Joins the other ranks' move as a rank that cannot take part. Returns its error.
    pub(super) fn decline(&mut self, reason: Error) -> Error {
        let began = self.begin(Err(reason.clone()), &[]);
        let Self { parts, exchange, .. } = self;
        let ended = began.and_then(|()| receive(parts, exchange, |_, _| CopiedBytes::default()));
        ended.err().unwrap_or(reason)
    }

    /// Begins a move of arrays that are checked before. [`receive_by`](Self::receive_by) ends it.
    /// Collective.
    ///
    /// # Errors
    /// The errors of [`run`](Self::run); the move ends here then.
    pub(super) fn begin_checked(&mut self, arrays: &[BatchArrays<'_>]) -> Result<(), Error> {
        let ready = self.check(arrays);
        self.begin(ready.clone(), arrays)?;
        let Err(error) = ready else { return Ok(()) };
        let Self { parts, exchange, .. } = self;
        Err(receive(parts, exchange, |_, _| CopiedBytes::default()).err().unwrap_or(error))
    }

    /// Ends a move that has begun: `unpack` receives the number of each plan, in the order in which
    /// the plans were added, what unpacks its elements, and the messages. A call on the same
    /// communicator that it makes is refused.
    pub(super) fn receive_by(
        &mut self,
        mut unpack: impl FnMut(usize, &RankUnpacking, &mut [&[u8]]) -> CopiedBytes,
    ) -> Result<(), Error> {
        let Self { parts, exchange, .. } = self;
        exchange.channel.begin_call(false)?;
        let mut number = 0;
        let received = receive(parts, exchange, |part, messages| {
            number += 1;
            unpack(number - 1, &part.unpacking, messages)
        });
        exchange.channel.end_call(None);
        received
    }

    /// Begins a move of all arrays, and lets the caller work until it
    /// [finishes](StartedBatch::finish). Collective: other ranks may [`run`](Self::run) the move.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::exec::{Batch, BatchArrays};
    /// use redist::{TypedPlan, Side, threads};
    ///
    /// let field = TypedPlan::<u32, 2>::parse([6, 4], "(block, *) onto 3", "(*, block) onto 2")?;
    /// threads::run(3, |rank| {
    ///     let mut batch = Batch::new();
    ///     batch.add(&field);
    ///     let mut bound = batch.bind(rank)?;
    ///     assert_eq!(bound.local_shape(0, Side::Source), [2, 4]);
    ///     let value = |index: Vec<usize>| (10 * index[0] + index[1]) as u32;
    ///     let rows: Vec<u32> = bound.global_indices(0, Side::Source).map(value).collect();
    ///     let mut columns = vec![0; bound.local_len(0, Side::Destination)];
    ///     let mut arrays = [BatchArrays::new(&rows, &mut columns)];
    ///     let started = bound.start(&mut arrays)?;
    ///     // Work of this rank's own, and then:
    ///     started.finish()?;
    ///     assert!(bound.global_indices(0, Side::Destination).map(value).eq(columns));
    ///     Ok::<_, redist::Error>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`run`](Self::run).
    pub fn start<'b, 'a>(
        &'b mut self,
        arrays: &'b mut [BatchArrays<'a>],
    ) -> Result<StartedBatch<'b, 'a>, Error> {
        self.started(arrays)
    }

    pub(super) fn started<'a, A: AsMut<[BatchArrays<'a>]>>(
        &mut self,
        mut arrays: A,
    ) -> Result<StartedBatch<'_, 'a, A>, Error> {
        let ready = self.check(arrays.as_mut());
        self.begin(ready.clone(), arrays.as_mut())?;
        if let Err(error) = ready {
            // The move ends here.
            return Err(self.complete(arrays.as_mut()).err().unwrap_or(error));
        }
        Ok(StartedBatch { bound: self, arrays, moved: PhantomData })
    }

    fn check(&self, arrays: &[BatchArrays<'_>]) -> Result<(), Error> {
        let error = |reason| Error::Batch { rank: self.rank, reason };
        let (expected, found) = (self.arrays.len(), arrays.len());
        if expected != found {
            return Err(error(format!(
                "the batch has {}, found {found}; bring each, in the order of `add`",
                counted(expected, "array")
            )));
        }
        let checked = self.arrays.iter().zip(arrays).map(|(array, found)| array.check(found));
        checked.enumerate().try_for_each(|(number, checked)| {
            checked.map_err(|reason| error(format!("array {number} of the batch: {reason}")))
        })
    }
}

/// Waits for all messages of a move that has begun, and unpacks them plan by plan.
fn receive(
    parts: &[BatchPart],
    exchange: &mut MessageExchange,
    mut unpack: impl FnMut(&BatchPart, &mut [&[u8]]) -> CopiedBytes,
) -> Result<(), Error> {
    exchange.channel.agree()?;
    let of_batch = exchange.messages.clone();
    exchange.receive(|messages, refill| {
        let mut copied = CopiedBytes::default();
        let lens = of_batch.iter().flat_map(|all| &all.incoming.envelopes).map(|own| own.len);
        let mut all = messages.iter_mut().zip(lens).enumerate();
        if !all.all(|(number, (message, len))| refill(number, message, len)) {
            return copied;
        }
        for part in parts {
            copied += with_some(messages, &part.swaps[1], |own| unpack(part, own));
        }
        copied
    })
}

/// A move of [`BoundBatch::start`]. Dropping it waits for no rank, and leaves the destinations as they
/// are; the next call of the batch receives what this rank was sent, and loses errors.
#[must_use = "the destinations hold their parts after `finish`, which says how the move went"]
pub struct StartedBatch<'b, 'a, A: AsMut<[BatchArrays<'a>]> = &'b mut [BatchArrays<'a>]> {
    bound: &'b mut BoundBatch,
    arrays: A,
    moved: PhantomData<BatchArrays<'a>>,
}

impl<'a, A: AsMut<[BatchArrays<'a>]>> StartedBatch<'_, 'a, A> {
    /// Returns `true` if [`finish`](StartedBatch::finish) would not wait. Lets the transport make
    /// progress.
    ///
    /// # Errors
    /// The errors of [`finish`](StartedBatch::finish).
    pub fn test(&mut self) -> Result<bool, Error> {
        self.bound.exchange.channel.test()
    }

    /// Waits until the destinations hold their parts.
    ///
    /// # Errors
    /// The errors of [`BoundBatch::run`].
    pub fn finish(mut self) -> Result<(), Error> {
        self.bound.complete(self.arrays.as_mut())
    }
}

impl BatchArray {
    fn check(&self, arrays: &BatchArrays<'_>) -> Result<(), String> {
        if self.element != arrays.element {
            let (expected, found) = (self.element.name(), arrays.element.name());
            return Err(format!("holds elements of type {expected}, found {found}"));
        }
        let exchanged = self.lens.iter().eq(arrays.lens.iter().rev());
        [Side::Source, Side::Destination].into_iter().try_for_each(|side| {
            let (expected, found) = (self.lens[side as usize], arrays.lens[side as usize]);
            let error =
                || Error::LocalLength { rank: 0, side, expected, found, exchanged }.reason();
            if expected == found { Ok(()) } else { Err(error()) }
        })
    }
}
