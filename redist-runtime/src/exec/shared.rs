//! Moves from arrays in shared memory, and between them.

use super::Bound;
use super::mover::Mover;
use crate::element::{Element, bytes_of, bytes_of_mut};
use crate::error::Error;
use crate::plan::Side;
use crate::transport::Transport;
use crate::transport::mpi::{Destination, MpiChannel, Route, SharedArray, SharedBytes};

impl<T: Element, C: Transport<Channel = MpiChannel>, const D: usize> Bound<T, C, D> {
    /// The way that messages go, and [why](Bound::route_reason).
    pub fn route(&self) -> Route {
        self.mover.channel.route().0
    }

    /// Why they go this way, in words.
    pub fn route_reason(&self) -> &str {
        self.mover.channel.route().1
    }

    /// This rank's source array, in memory that the other ranks of its node can read; all elements are zero. Collective.
    ///
    /// # Errors
    /// As [`SharedArray::new`].
    pub fn shared_source(&self) -> Result<SharedArray<T>, Error> {
        self.mover.channel.shared_array(self.local_len(Side::Source))
    }

    /// This rank's destination array, in memory that the other ranks of its node can write to in
    /// [`run_between_shared`](Bound::run_between_shared); all elements are zero. Collective.
    ///
    /// # Errors
    /// As [`SharedArray::new`].
    pub fn shared_destination(&self) -> Result<SharedArray<T>, Error> {
        self.mover.channel.shared_array(self.local_len(Side::Destination))
    }

    /// As [`run`](Bound::run), from an array in shared memory: where all ranks are on one node, every rank copies its part
    /// straight from the others' arrays, and there are no messages. Elsewhere it is [`run`](Bound::run).
    ///
    /// Collective: all ranks call this, or [`run_between_shared`](Bound::run_between_shared), with their parts of one array,
    /// and none calls `run` or `start` instead. When it returns, nobody reads the array any more. Schedules play no part
    /// where there are no messages.
    ///
    /// # Errors
    /// As [`run`](Bound::run); also an array that was not made for the ranks of this plan, or parts of different arrays.
    /// Where another rank panics while it copies, no destination can be relied on.
    pub fn run_shared(&mut self, source: &SharedArray<T>, destination: &mut [T]) -> Result<(), Error> {
        if !self.mover.channel.is_on_one_node() {
            return self.run(source, destination);
        }
        let lens = (source.len(), destination.len());
        // SAFETY: all ranks move elements of this type, as they found when the plan was bound, and move them whole.
        let own = unsafe { bytes_of_mut(destination) };
        self.mover.run_from_shared(lens, bytes_of(source), source.bytes(), Destination::Own(own))
    }

    /// As [`run_shared`](Bound::run_shared), to an array in shared memory: the ranks of a node divide the whole array among
    /// them, as threads do, and each copies its share from all ranks' sources to all ranks' destinations. So every cache line
    /// is read once, even where each rank needs some of its elements. What the ranks need for that is made in the first call.
    ///
    /// When this returns, nobody uses either array any more. Where some ranks call [`run_shared`](Bound::run_shared) instead,
    /// every rank copies its own part.
    ///
    /// ```no_run
    /// # use redist_runtime as redist;
    /// use redist::exec::{Redistribution, RuntimePlan};
    /// use redist::transport::mpi::rsmpi;
    ///
    /// let universe = rsmpi::initialize().expect("nobody has initialized MPI before");
    /// let world = universe.world();
    /// let plan = RuntimePlan::<f64, 1>::parse([1200], "cyclic(10) onto 3", "cyclic(2) onto 2")?;
    /// let mut bound = plan.bind(&world)?;
    /// let (mut before, mut after) = (bound.shared_source()?, bound.shared_destination()?);
    /// before.fill(1.5);
    /// bound.run_between_shared(&before, &mut after)?;
    /// assert!(after.iter().all(|element| *element == 1.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`run_shared`](Bound::run_shared), of either array.
    pub fn run_between_shared(
        &mut self,
        source: &SharedArray<T>,
        destination: &mut SharedArray<T>,
    ) -> Result<(), Error> {
        if !self.mover.channel.is_on_one_node() {
            return self.run(source, destination);
        }
        let lens = (source.len(), destination.len());
        self.mover.run_from_shared(lens, bytes_of(source), source.bytes(), Destination::Shared(destination.bytes()))
    }
}

impl Mover<MpiChannel> {
    /// Between ranks of one node, from `source`, which lies in the shared array `shared`; `lens` are in elements.
    fn run_from_shared(
        &mut self,
        lens: (usize, usize),
        source: &[u8],
        shared: &SharedBytes,
        destination: Destination<'_>,
    ) -> Result<(), Error> {
        let ready = self.lengths(lens.0, lens.1);
        let Self { destination: to, channel, .. } = self;
        channel.exchange_shared(ready, shared, destination, &mut |arrived, own| to.deliver(arrived, source, own))
    }
}
