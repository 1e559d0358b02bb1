//! One array that either side has several copies of: read from one of them, written to all.

use super::arrays::BatchArrays;
use super::batch::{Batch, BoundBatch};
use super::runtime_plan::RuntimePlan;
use crate::element::Element;
use crate::error::Error;
use crate::layout::{Descriptor, Dist, Layout, MAX_COPIED_RANKS};
use crate::plan::{ParsePlanError, Plan, PlanError, Side};
use crate::transport::Transport;
use core::marker::PhantomData;
use std::collections::BTreeSet;

/// A plan between copies of one array: each side has one or more, on ranks of their own, and each
/// may be dealt in its own way. Every copy of the destination is read from one copy of the source.
///
/// What MPI calls broadcast, all-gather, gather and scatter are cases of it. All messages of all
/// copies go at once, one from a rank to another.
///
/// ```
/// # use redist_runtime as redist;
/// use redist::exec::Replicated;
/// use redist::layout::Layout;
/// use redist::transport::threads;
///
/// // Blocks of three ranks, to the whole array on each of them: an all-gather.
/// let whole: Layout<1> = "*".parse()?;
/// let all_gather = Replicated::<u32, 1>::new([12], &["block onto 3".parse()?], &whole.copies(3))?;
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
pub struct Replicated<T, const D: usize> {
    lines: Vec<CopyLine<D>>,
    /// All copies of the source, also those that are not read.
    sources: Vec<Descriptor<D>>,
    element: PhantomData<fn() -> T>,
}

/// Pairs of copies that are looked at to find which is read from which.
const MAX_PAIRS: usize = 1 << 20;

/// What a copy of the destination is read from.
#[derive(Clone, Copy, Debug)]
struct CopyLine<const D: usize> {
    source: usize,
    plan: Plan<D>,
}

impl<T: Element, const D: usize> Replicated<T, D> {
    /// Plans the move of an array of `extents` elements from the copies with these layouts to those
    /// with these: [`Layout::copies`] makes several of one.
    ///
    /// Copies of the source are read from by as many copies of the destination each, but for one;
    /// of those that are free, each copy of the destination is read from the one that has most of
    /// it on the same ranks.
    ///
    /// # Errors
    /// As [`Plan::new`]; [`Error::Copies`] where a side has no copy, a rank is in two copies of
    /// one, or there are more than 2^20 pairs of a copy of the source and one of the destination:
    /// each is looked at.
    pub fn new(extents: [usize; D], from: &[Layout<D>], to: &[Layout<D>]) -> Result<Self, Error> {
        let most = match (from.len(), to.len()) {
            (0, _) => return Err(no_copy(Side::Source)),
            (_, 0) => return Err(no_copy(Side::Destination)),
            (sources, destinations) => destinations.div_ceil(sources),
        };
        if from.len().saturating_mul(to.len()) > MAX_PAIRS {
            let reason = format!(
                "{} of them and {} of the source are more than {MAX_PAIRS} pairs; ask for fewer",
                to.len(),
                from.len()
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
        apart(Side::Destination, lines.iter().map(|line| line.plan.descriptor(Side::Destination)))?;
        Ok(Self { lines, sources, element: PhantomData })
    }

    /// Plans the move between sides in the words of the notation. `copies k` behind a layout is `k`
    /// copies of it on the ranks behind, as [`Layout::copies`] makes them; without it a side has
    /// one.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::exec::Replicated;
    /// use redist::plan::Side;
    /// // An all-gather: blocks of four ranks, to the whole array on each of them.
    /// let plan = Replicated::<f64, 2>::parse([40, 6], "(block, *) onto 4", "(*, *) copies 4")?;
    /// assert_eq!((plan.copies(Side::Source), plan.copies(Side::Destination)), (1, 4));
    /// # Ok::<(), redist::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parse`] where a text is no layout, `k` is 0, or copies have more than 2^20 ranks in
    /// all; otherwise as [`Replicated::new`].
    pub fn parse(extents: [usize; D], from: &str, to: &str) -> Result<Self, Error> {
        let copies = |text, side| {
            Layout::parse_copies(text).map_err(|error| ParsePlanError::Notation { side, error })
        };
        let (from, to) = (copies(from, Side::Source)?, copies(to, Side::Destination)?);
        Self::new(extents, &from, &to)
    }

    /// The move between so many copies of both sides of a plan, as [`Layout::copies`] makes them:
    /// what items of `redistribute!` with `copies` are.
    ///
    /// # Errors
    /// [`Error::Copies`] where a side would have no copy, more than 2^20 ranks in all, or a rank in
    /// two copies; [`Error::Plan`] where ranks would be too high.
    pub fn of(first: &Plan<D>, [from, to]: [usize; 2]) -> Result<Self, Error> {
        let copies = |side: Side, copies: usize| {
            let layout = first.descriptor(side).layout();
            if layout.ranks_of_copies(copies) > MAX_COPIED_RANKS {
                let reason = format!(
                    "{copies} of them have more than {MAX_COPIED_RANKS} ranks in all; ask for fewer"
                );
                return Err(Error::Copies { side, reason });
            }
            Ok(layout.copies(copies))
        };
        let (from, to) = (copies(Side::Source, from)?, copies(Side::Destination, to)?);
        Self::new(first.extents(), &from, &to)
    }

    /// From one rank, `root`, which has all of the array, to a copy with each of these layouts.
    ///
    /// # Errors
    /// As [`Replicated::new`].
    pub fn broadcast(extents: [usize; D], root: usize, to: &[Layout<D>]) -> Result<Self, Error> {
        Self::new(extents, &[whole(to.first().copied()).ranks_from(root)], to)
    }

    /// From a layout to the whole array, in the layout's storage order, on each of ranks 0 to
    /// `ranks - 1`.
    ///
    /// # Errors
    /// As [`Replicated::new`].
    pub fn all_gather(extents: [usize; D], from: Layout<D>, ranks: usize) -> Result<Self, Error> {
        Self::new(extents, &[from], &whole(Some(from)).copies(ranks))
    }

    /// How many copies a side has.
    pub fn copies(&self, side: Side) -> usize {
        match side {
            Side::Source => self.sources.len(),
            Side::Destination => self.lines.len(),
        }
    }

    /// What moves to a copy of the destination, and the number of the copy of the source that it is
    /// read from.
    ///
    /// # Panics
    /// If there is no such copy.
    pub fn line(&self, destination: usize) -> (usize, &Plan<D>) {
        let CopyLine { source, plan } = &self.lines[destination];
        (*source, plan)
    }

    /// Checks the plan with all ranks of a communicator. Collective.
    ///
    /// # Errors
    /// As [`Batch::bind`].
    pub fn bind<C: Transport>(&self, communicator: &C) -> Result<BoundReplicas<T>, Error> {
        let mut batch = Batch::new();
        let plans = self.lines.iter().map(|line| RuntimePlan::<T, D>::from(line.plan));
        let before = self.sources.iter().map(|copy| copy.local_len(communicator.rank())).max();
        batch.add_all_of_one(plans, [before.unwrap_or(0), 0]);
        Ok(BoundReplicas { batch: batch.bind(communicator)?, element: PhantomData })
    }

    /// Which copy is read from which, in words.
    pub fn explain(&self) -> String {
        let [from, to] = [Side::Source, Side::Destination].map(|side| self.copies(side));
        let mut text = format!("copies: {from} of the source, {to} of the destination");
        for (number, CopyLine { source, plan }) in self.lines.iter().enumerate() {
            text += &format!("\n  to copy {number} from copy {source}: {plan}");
        }
        text
    }
}

/// A layout of which one rank has everything, stored as another.
fn whole<const D: usize>(like: Option<Layout<D>>) -> Layout<D> {
    let whole = Layout::new([Dist::Collapsed; D], [1; D]);
    like.map_or(whole, |like| whole.storage(like.storage))
}

fn no_copy(side: Side) -> Error {
    Error::Copies { side, reason: "it has none; a side has at least one".into() }
}

/// Whether no rank is in two copies.
fn apart<'a, const D: usize>(
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

/// Copies of an array on both sides, moved as often as wanted: made by [`Replicated::bind`].
pub struct BoundReplicas<T> {
    batch: BoundBatch,
    element: PhantomData<*mut T>,
}

impl<T: Element> BoundReplicas<T> {
    /// Length of this rank's part of the copy that it has on one side, in elements; 0 where it has
    /// none.
    pub fn local_len(&self, side: Side) -> usize {
        self.batch.local_len(0, side)
    }

    /// The batch that it is: a line for each copy of the destination.
    pub fn batch(&self) -> &BoundBatch {
        &self.batch
    }

    /// Moves the array: `source` is this rank's part of a copy before, `destination` its part of a
    /// copy after, each empty where it has none. Collective.
    ///
    /// # Errors
    /// As [`BoundBatch::run`].
    pub fn run(&mut self, source: &[T], destination: &mut [T]) -> Result<(), Error> {
        self.batch.run(&mut [BatchArrays::new(source, destination)])
    }
}
