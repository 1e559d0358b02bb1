//! Sums on the way: each copy of the source holds an addend of the array.

use super::arrays::BatchArrays;
use super::batch::{Batch, BoundBatch};
use super::bound::for_each;
use super::redistribution::TypedPlan;
use super::transfer::{UnpackTo, whole};
use super::with_copies::{apart, local_part, no_copy};
use crate::element::Element;
use crate::error::Error;
use crate::layout::{Descriptor, Layout, LocalArray};
use crate::plan::{ParsePlanError, Plan, Side};
use crate::transport::Transport;
use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A plan that adds on the way. Each copy of the source holds an addend of the whole array, on ranks
/// and in a layout of its own. Each copy of the destination becomes the sum, or what another
/// function of two elements makes of the addends.
///
/// MPI's reduce, reduce-scatter and all-reduce are special cases, and so is a DTensor that is
/// `Partial`. A rank sends its addend in one message to each rank that needs a part of it, and no
/// element goes further. The addends of an element are combined in the order of the source's copies,
/// so that all ranks and all runs have the same bits.
///
/// ```
/// # use redist_runtime as redist;
/// use redist::exec::{Reduction, sum};
/// use redist::threads;
///
/// // Three ranks have an addend of 12 elements each, and become blocks of the sum.
/// let reduce_scatter = Reduction::<f64, 1>::parse([12], "* copies 3", "block onto 3")?;
/// threads::run(3, |rank| {
///     let mut bound = reduce_scatter.bind(rank)?;
///     let addend = vec![10f64.powi(rank.rank() as i32); 12];
///     let mut block = [0.0; 4];
///     bound.run(&addend, &mut block, sum)?;
///     assert_eq!(block, [111.0; 4]);
///     Ok::<_, redist::Error>(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reduction<T, const D: usize> {
    /// The plans from all addends to a copy of the destination, one copy after the other.
    plans: Vec<Plan<D>>,
    /// Number of addends: copies of the source.
    addends: usize,
    element: PhantomData<fn() -> T>,
}

/// Most pairs of an addend and a copy of the destination, each of which has a plan.
const MAX_PAIRS: usize = 1 << 16;

impl<T: Element, const D: usize> Reduction<T, D> {
    /// Plans the sum of addends of `extents` elements with the layouts `from`, to copies with the
    /// layouts `to`. [`Layout::copies`] makes several copies of a layout.
    ///
    /// # Errors
    /// The errors of [`Plan::new`]. `Error::Copies` if a side has no copy, or a rank is in two
    /// copies of a side. Also if there are more than 2^16 pairs of an addend and a copy of the
    /// destination.
    pub fn new(extents: [usize; D], from: &[Layout<D>], to: &[Layout<D>]) -> Result<Self, Error> {
        let side = match (from, to) {
            ([], _) => Some(Side::Source),
            (_, []) => Some(Side::Destination),
            _ => None,
        };
        if let Some(side) = side {
            return Err(no_copy(side));
        }
        if from.len().saturating_mul(to.len()) > MAX_PAIRS {
            let (to, from) = (to.len(), from.len());
            let reason = format!(
                "{to} of them and {from} addends are more than {MAX_PAIRS} pairs; ask for fewer"
            );
            return Err(Error::Copies { side: Side::Destination, reason });
        }
        let pairs = to.iter().flat_map(|to| from.iter().map(move |from| (from, to)));
        let plans = pairs.map(|(from, to)| Plan::new(extents, *from, *to));
        let plans: Vec<Plan<D>> = plans.collect::<Result<_, _>>()?;
        let planned = Self { plans, addends: from.len(), element: PhantomData };
        for side in [Side::Source, Side::Destination] {
            apart(side, planned.of_side(side))?;
        }
        Ok(planned)
    }

    /// Plans the sum between sides in the notation. `copies k` behind the source's layout stands for
    /// `k` addends, and behind the destination's for `k` copies of the sum.
    ///
    /// # Errors
    /// [`Error::Plan`] if a text is no layout, `k` is 0, or copies have more than 2^20 ranks in
    /// all. Otherwise as [`Reduction::new`].
    pub fn parse(extents: [usize; D], from: &str, to: &str) -> Result<Self, Error> {
        let copies = |text, side| {
            Layout::parse_copies(text).map_err(|error| ParsePlanError::Notation { side, error })
        };
        let (from, to) = (copies(from, Side::Source)?, copies(to, Side::Destination)?);
        Self::new(extents, &from, &to)
    }

    /// Checks the plan with all ranks of a communicator. Collective.
    ///
    /// # Errors
    /// The errors of [`Batch::bind`].
    pub fn bind<C: Transport>(&self, communicator: &C) -> Result<BoundReduction<T, D>, Error> {
        let mut batch = Batch::new();
        self.plans.iter().for_each(|plan| batch.add_plan(&TypedPlan::<T, D>::from(*plan)));
        batch.add_array::<T>([0; 2]);
        let rank = communicator.rank();
        let held =
            [Side::Source, Side::Destination].map(|side| local_part(self.of_side(side), rank));
        let batch = batch.bind(communicator)?;
        Ok(BoundReduction { batch, addends: self.addends, held, element: PhantomData })
    }

    /// Returns the plans from all addends to a copy of the destination, one copy after the other.
    pub fn plans(&self) -> &[Plan<D>] {
        &self.plans
    }

    /// Returns the number of addends.
    pub fn addends(&self) -> usize {
        self.addends
    }

    /// Returns a rank's part of its addend, or of its copy of the destination: extents, strides and
    /// global indices. It is empty if the rank has none.
    pub fn local(&self, side: Side, rank: usize) -> LocalArray<D> {
        local_part(self.of_side(side), rank)
    }

    /// Returns one past the highest rank that has an addend or a copy.
    pub fn ranks(&self) -> usize {
        self.plans.iter().map(Plan::ranks).max().unwrap_or(0)
    }

    /// Returns the copies of a side.
    fn of_side(&self, side: Side) -> impl Iterator<Item = &Descriptor<D>> + Clone {
        // All addends go to the first copy of the destination, and the first one to all of these.
        let (count, step) = match side {
            Side::Source => (self.addends, 1),
            Side::Destination => (self.plans.len(), self.addends),
        };
        self.plans[..count].iter().step_by(step).map(move |plan| plan.descriptor(side))
    }

    /// Lists the plan of each addend to each copy of the destination.
    pub fn explain(&self) -> String {
        let (addends, copies) = (self.addends, self.plans.len() / self.addends);
        let mut text = format!("sums: {addends} addends, {copies} of the destination");
        for (number, plan) in self.plans.iter().enumerate() {
            let (to, from) = (number / addends, number % addends);
            text += &format!("\n  to copy {to} from addend {from}: {plan}");
        }
        text
    }
}

/// A bound [`Reduction`], made by [`Reduction::bind`]; runs as often as wanted.
pub struct BoundReduction<T, const D: usize> {
    batch: BoundBatch,
    /// Number of addends: each is combined behind the one before.
    addends: usize,
    /// This rank's part of its addend, and of its copy of the destination.
    held: [LocalArray<D>; 2],
    element: PhantomData<*mut T>,
}

impl<T: Element, const D: usize> BoundReduction<T, D> {
    /// Returns the elements of this rank's part of its addend, or of its copy of the destination;
    /// 0 without one.
    pub fn local_len(&self, side: Side) -> usize {
        self.batch.local_len(0, side)
    }

    /// Returns this rank's part on one side: extents, strides and global indices.
    pub fn local(&self, side: Side) -> LocalArray<D> {
        self.held[side as usize]
    }

    /// Returns the extents of this rank's part on one side; zeros without one.
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

    /// Moves the addends, and combines them. The first addend of an element replaces what the
    /// destination held, and `combine` receives each further one with the result so far, such as
    /// [`sum`](super::sum), [`min`](super::min), [`max`](super::max) or a closure. `source` is this
    /// rank's part of its addend, and `destination` of its copy of the destination, empty if it has
    /// none. Collective. Elements outside moved sections keep their values.
    ///
    /// Addends are combined from the first copy of the source to the last. So `combine` need not
    /// be associative for equal results in each run.
    ///
    /// # Errors
    /// The errors of [`BoundBatch::run`]. A function that moves or binds on the same communicator
    /// gets an error.
    ///
    /// # Panics
    /// If `combine` does, after it has run for some elements. The other ranks get their results, and
    /// the next move of all ranks works.
    pub fn run(
        &mut self,
        source: &[T],
        destination: &mut [T],
        mut combine: impl FnMut(T, &mut T),
    ) -> Result<(), Error> {
        self.batch.begin_checked(&[BatchArrays::new(source, destination)])?;
        let (addends, mut panic) = (self.addends, None);
        let received = self.batch.receive_by(|number, unpacking, messages| {
            if number % addends == 0 {
                let first = BatchArrays::new(&[], destination).destination;
                return unpacking.unpack(first, messages);
            }
            // This rank takes its messages though its caller's function has panicked.
            let mut visit = for_each(&mut *destination, |moved, kept: &mut T| {
                if panic.is_none() {
                    let call = AssertUnwindSafe(|| combine(moved, kept));
                    panic = catch_unwind(call).err();
                }
            });
            unpacking.unpack_to(&mut UnpackTo::Function(&mut visit), messages, &mut whole)
        });
        panic.map_or(received, |panic| resume_unwind(panic))
    }
}
