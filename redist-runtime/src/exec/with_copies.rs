//! Moves between copies of an array.

use super::arrays::BatchArrays;
use super::batch::{Batch, BoundBatch, StartedBatch};
use super::redistribution::TypedPlan;
use crate::element::Element;
use crate::error::Error;
use crate::layout::{Copies, Descriptor, Layout, LocalArray, MAX_COPIED_RANKS};
use crate::plan::{ParsePlanError, Plan, PlanError, Side};
use crate::transport::Transport;
use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use std::collections::BTreeSet;

/// A plan between copies of one array. Each side has at least one copy, on ranks and in a layout of
/// its own. Each copy of the destination is read from one copy of the source.
///
/// MPI's broadcast, all-gather, gather and scatter are special cases. All messages of all copies go
/// at once, one per pair of ranks.
///
/// ```
/// # use redist_runtime as redist;
/// use redist::exec::PlanWithCopies;
/// use redist::{Layout, threads};
///
/// // Blocks of three ranks, to the whole array on each of them: an all-gather.
/// let whole: Layout<1> = "*".parse()?;
/// let all_gather = PlanWithCopies::<u32, 1>::new([12], &["block onto 3".parse()?], &whole.copies(3))?;
/// threads::run(3, |rank| {
///     let mut bound = all_gather.bind(rank)?;
///     let block: Vec<u32> = (0..4).map(|element| 4 * rank.rank() as u32 + element).collect();
///     let mut whole = [0; 12];
///     bound.run(&block, &mut whole)?;
///     assert!(whole.into_iter().eq(0..12));
///     Ok::<_, redist::Error>(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlanWithCopies<T, const D: usize> {
    /// The source copy of each destination copy, in order.
    lines: Vec<CopyLine<D>>,
    /// All copies of the source, read or not.
    sources: Vec<Descriptor<D>>,
    element: PhantomData<fn() -> T>,
}

/// Most pairs of copies compared.
const MAX_PAIRS: usize = 1 << 20;

/// The source copy that a destination copy reads.
#[derive(Clone, Copy, Debug)]
struct CopyLine<const D: usize> {
    /// Index of the source copy.
    source: usize,
    /// The plan from that copy to this one.
    plan: Plan<D>,
}

impl<T: Element, const D: usize> PlanWithCopies<T, D> {
    /// Plans the move of an array of `extents` elements between copies with these layouts.
    /// [`Layout::copies`] makes several copies of one layout.
    ///
    /// Copies of the source serve equally many copies of the destination, give or take one. Each
    /// copy of the destination reads the free source copy that has most of it on the same ranks.
    ///
    /// # Errors
    /// The errors of [`Plan::new`]. Also if a side has no copy, a rank is in two copies of a side,
    /// or there are more than 2^20 pairs of copies, each of which is compared.
    pub fn new(extents: [usize; D], from: &[Layout<D>], to: &[Layout<D>]) -> Result<Self, Error> {
        let most = match (from.len(), to.len()) {
            (0, _) => return Err(no_copy(Side::Source)),
            (_, 0) => return Err(no_copy(Side::Destination)),
            (sources, destinations) => destinations.div_ceil(sources),
        };
        if from.len().saturating_mul(to.len()) > MAX_PAIRS {
            let (to, from) = (to.len(), from.len());
            let reason = format!(
                "{to} of them and {from} of the source are more than {MAX_PAIRS} pairs; ask for fewer"
            );
            return Err(Error::Copies { side: Side::Destination, reason });
        }
        let mut readers = vec![0; from.len()];
        let mut lines = Vec::with_capacity(to.len());
        for to in to {
            let plans: Result<Vec<_>, PlanError> =
                from.iter().map(|from| Plan::new(extents, *from, *to)).collect();
            let free = plans?.into_iter().enumerate().filter(|(source, _)| readers[*source] < most);
            let best = free.max_by_key(|(source, plan)| {
                (plan.stays().value, usize::MAX - readers[*source], usize::MAX - source)
            });
            let (source, plan) = best.expect("some copy is free, as all have room for all");
            readers[source] += 1;
            lines.push(CopyLine { source, plan });
        }
        let source = |from: &Layout<D>| {
            Plan::new(extents, *from, to[0]).map(|plan| *plan.descriptor(Side::Source))
        };
        let sources: Vec<_> = from.iter().map(source).collect::<Result<_, _>>()?;
        apart(Side::Source, sources.iter())?;
        let planned = Self { lines, sources, element: PhantomData };
        apart(Side::Destination, planned.destinations())?;
        Ok(planned)
    }

    /// Plans the move between sides in the notation, in which `copies k` behind a layout stands for
    /// [`Layout::copies`].
    ///
    /// # Errors
    /// [`Error::Plan`] if a text is no layout, `k` is 0, or copies have more than 2^20 ranks in
    /// all. Otherwise as [`PlanWithCopies::new`].
    pub fn parse(extents: [usize; D], from: &str, to: &str) -> Result<Self, Error> {
        let copies = |text, side| {
            Layout::parse_copies(text).map_err(|error| ParsePlanError::Notation { side, error })
        };
        let (from, to) = (copies(from, Side::Source)?, copies(to, Side::Destination)?);
        Self::new(extents, &from, &to)
    }

    /// Plans the move between copies of both sides of a plan, for items with `copies`.
    ///
    /// # Errors
    /// The errors of [`PlanWithCopies::parse`].
    #[doc(hidden)]
    pub fn of(first: &Plan<D>, [from, to]: [Copies; 2]) -> Result<Self, Error> {
        let copies = |side: Side, copies: Copies| {
            let layout = first.descriptor(side).layout();
            let count = copies.count;
            if layout.ranks_of_copies(count) > MAX_COPIED_RANKS {
                let reason = format!(
                    "{count} of them have more than {MAX_COPIED_RANKS} ranks in all; ask for fewer"
                );
                return Err(Error::Copies { side, reason });
            }
            let copied = layout.copied(copies);
            copied.map_err(|error| Error::Copies { side, reason: error.to_string() })
        };
        let (from, to) = (copies(Side::Source, from)?, copies(Side::Destination, to)?);
        Self::new(first.extents(), &from, &to)
    }

    #[doc(hidden)]
    pub fn copies(&self, side: Side) -> usize {
        match side {
            Side::Source => self.sources.len(),
            Side::Destination => self.lines.len(),
        }
    }

    /// Returns the number of the source copy that a destination copy reads, and their plan. Panics if
    /// there is no such copy.
    #[doc(hidden)]
    pub fn line(&self, destination: usize) -> (usize, &Plan<D>) {
        let CopyLine { source, plan } = &self.lines[destination];
        (*source, plan)
    }

    /// Returns a rank's part of its copy on one side: extents, strides and global indices. It is empty
    /// if the rank has no copy.
    pub fn local(&self, side: Side, rank: usize) -> LocalArray<D> {
        match side {
            Side::Source => local_part(self.sources.iter(), rank),
            Side::Destination => local_part(self.destinations(), rank),
        }
    }

    /// Returns one past the highest rank that has a copy.
    pub fn ranks(&self) -> usize {
        let all = self.sources.iter().chain(self.destinations());
        all.map(Descriptor::ranks_end).max().unwrap_or(0)
    }

    fn destinations(&self) -> impl Iterator<Item = &Descriptor<D>> + Clone {
        self.lines.iter().map(|line| line.plan.descriptor(Side::Destination))
    }

    /// Checks the plan with all ranks of a communicator. Collective.
    ///
    /// # Errors
    /// The errors of [`Batch::bind`].
    pub fn bind<C: Transport>(&self, communicator: &C) -> Result<BoundWithCopies<T, D>, Error> {
        let mut batch = Batch::new();
        self.lines.iter().for_each(|line| batch.add_plan(&TypedPlan::<T, D>::from(line.plan)));
        let before = self.sources.iter().map(|copy| copy.local_len(communicator.rank())).max();
        batch.add_array::<T>([before.unwrap_or(0), 0]);
        let rank = communicator.rank();
        let held = [Side::Source, Side::Destination].map(|side| self.local(side, rank));
        Ok(BoundWithCopies { batch: batch.bind(communicator)?, held, element: PhantomData })
    }

    /// Lists the source copy of each destination copy.
    pub fn explain(&self) -> String {
        let [from, to] = [Side::Source, Side::Destination].map(|side| self.copies(side));
        let mut text = format!("copies: {from} of the source, {to} of the destination");
        for (number, CopyLine { source, plan }) in self.lines.iter().enumerate() {
            text += &format!("\n  to copy {number} from copy {source}: {plan}");
        }
        text
    }
}

/// Returns a rank's part of its copy; of the first one, which is empty, if it has none. Panics if
/// there is no copy.
pub(super) fn local_part<'a, const D: usize>(
    mut copies: impl Iterator<Item = &'a Descriptor<D>> + Clone,
    rank: usize,
) -> LocalArray<D> {
    let first = copies.clone().next().expect("a side has at least one copy");
    copies.find(|copy| copy.number_of(rank).is_some()).unwrap_or(first).local(rank)
}

pub(super) fn no_copy(side: Side) -> Error {
    Error::Copies { side, reason: "it has none; a side has at least one".into() }
}

/// Checks that no rank is in two copies of a side.
pub(super) fn apart<'a, const D: usize>(
    side: Side,
    copies: impl Iterator<Item = &'a Descriptor<D>>,
) -> Result<(), Error> {
    let mut taken = BTreeSet::new();
    for (copy, array) in copies.enumerate() {
        let ranks = (0..array.ranks()).map(|number| array.nth_rank(number));
        if let Some(rank) = ranks.filter(|rank| !taken.insert(*rank)).min() {
            let reason = format!(
                "copy {copy} is on rank {rank}, as one before it is; give each copy ranks of its own (`ranks`)"
            );
            return Err(Error::Copies { side, reason });
        }
    }
    Ok(())
}

/// Bound copies of an array, made by [`PlanWithCopies::bind`]; move as often as wanted.
pub struct BoundWithCopies<T, const D: usize> {
    batch: BoundBatch,
    /// This rank's parts of its copies, by side.
    held: [LocalArray<D>; 2],
    element: PhantomData<*mut T>,
}

impl<T: Element, const D: usize> BoundWithCopies<T, D> {
    /// Returns the elements of this rank's part of its copy on one side; 0 without a copy.
    pub fn local_len(&self, side: Side) -> usize {
        self.batch.local_len(0, side)
    }

    /// Returns this rank's part of its copy on one side: extents, strides and global indices.
    pub fn local(&self, side: Side) -> LocalArray<D> {
        self.held[side as usize]
    }

    /// Returns the extents of this rank's part of its copy; zeros without a copy.
    pub fn local_shape(&self, side: Side) -> [usize; D] {
        self.local(side).extents()
    }

    /// Iterates over the global indices of this rank's part, in its storage order.
    pub fn global_indices(
        &self,
        side: Side,
    ) -> impl ExactSizeIterator<Item = [usize; D]> + FusedIterator + Clone + fmt::Debug + use<T, D>
    {
        self.local(side).global_indices()
    }

    /// Describes [`run`](Self::run) on this rank: its messages and the code that packs them.
    pub fn explain(&self) -> String {
        self.batch.explain()
    }

    /// Begins a move and lets the caller work until it [finishes](StartedBatch::finish).
    /// Collective.
    ///
    /// # Errors
    /// The errors of [`BoundBatch::start`].
    pub fn start<'a>(
        &'a mut self,
        source: &'a [T],
        destination: &'a mut [T],
    ) -> Result<StartedBatch<'a, 'a, [BatchArrays<'a>; 1]>, Error> {
        self.batch.started([BatchArrays::new(source, destination)])
    }

    /// Moves the array: `source` is this rank's part of a source copy, `destination` of a
    /// destination copy, empty if it has none. Collective.
    ///
    /// # Errors
    /// The errors of [`BoundBatch::run`].
    pub fn run(&mut self, source: &[T], destination: &mut [T]) -> Result<(), Error> {
        self.batch.run(&mut [BatchArrays::new(source, destination)])
    }
}

/// An item of `redistribute!` with `copies` on a side. Its first copies are checked and planned as
/// any item; [`bind`](WithCopies::bind) plans a move for each copy of the destination. It is no
/// [`Redistribution`](super::Redistribution), which has one plan.
pub trait WithCopies<const D: usize> {
    // As in `Redistribution`, without links to other items.

    /// Type of the array's elements.
    type Element: Element;

    /// Returns the name for messages.
    #[doc(hidden)]
    fn name(&self) -> &str;

    /// Returns the plan between the first copies of both sides. Those along an axis of the grid
    /// have the ranks in it that they have if there is one copy.
    #[doc(hidden)]
    fn first(&self) -> Plan<D>;

    /// Returns the number of copies of a side.
    #[doc(hidden)]
    fn copies(&self, side: Side) -> usize;

    /// Returns the axis of the grid that the copies of a side are along.
    #[doc(hidden)]
    fn along(&self, side: Side) -> Option<usize> {
        let _ = side;
        None
    }

    /// Returns the plan between all copies.
    ///
    /// # Errors
    /// As `PlanWithCopies::new`.
    #[doc(hidden)]
    fn with_copies(&self) -> Result<PlanWithCopies<Self::Element, D>, Error> {
        PlanWithCopies::of(
            &self.first(),
            [Side::Source, Side::Destination]
                .map(|side| Copies { count: self.copies(side), along: self.along(side) }),
        )
    }

    /// Checks the plan with all ranks of a communicator. Collective.
    ///
    /// # Errors
    /// As `PlanWithCopies::new` and `PlanWithCopies::bind`.
    fn bind<C: Transport>(
        &self,
        communicator: &C,
    ) -> Result<BoundWithCopies<Self::Element, D>, Error> {
        self.with_copies()?.bind(communicator)
    }

    /// Lists the source copy of each destination copy.
    ///
    /// # Errors
    /// As `PlanWithCopies::new`.
    fn explain(&self) -> Result<String, Error> {
        Ok(format!("{}: {}", self.name(), self.with_copies()?.explain()))
    }
}
