//! Arrays in shared memory, for the ranks that a plan is bound to.

use super::{AnyBound, Bound};
use crate::element::{Element, ElementType};
use crate::error::Error;
use crate::plan::Side;
use crate::transport::Channel;
use crate::transport::mpi::{SharedArray, SharedBytes};

impl<T: Element, const D: usize> Bound<T, D> {
    /// This rank's array on one side, in memory that the other ranks of its node can use in
    /// [`run`](Bound::run), so that there are no messages where all ranks are on one node; all
    /// elements are zero. Collective.
    ///
    /// ```no_run
    /// # use redist_runtime as redist;
    /// use redist::exec::{Redistribution, RuntimePlan};
    /// use redist::plan::Side;
    /// use redist::transport::mpi::initialize;
    ///
    /// let mpi = initialize()?;
    /// let world = mpi.world()?;
    /// let plan = RuntimePlan::<f64, 1>::parse([1200], "cyclic(10) onto 3", "cyclic(2) onto 2")?;
    /// let mut bound = plan.bind(&world)?;
    /// let mut before = bound.shared_array(Side::Source)?;
    /// let mut after = bound.shared_array(Side::Destination)?;
    /// before.fill(1.5);
    /// bound.run(&before, &mut after)?;
    /// assert!(after.iter().all(|element| *element == 1.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`SharedArray::new`].
    pub fn shared_array(&self, side: Side) -> Result<SharedArray<T>, Error> {
        let len = Ok(self.local_len(side));
        Ok(SharedArray::of(shared_bytes(&*self.mover.exchange.channel, self.mover.element, len)?))
    }
}

impl AnyBound {
    /// As [`Bound::shared_array`]: the bytes of this rank's array on one side, aligned for its
    /// elements. Collective.
    ///
    /// # Errors
    /// As [`SharedArray::new`].
    pub fn shared_array(&self, side: Side) -> Result<SharedArray<u8>, Error> {
        self.shared_bytes(Ok(self.local_len(side)))
    }

    /// Takes part in making shared arrays with a reason why this rank cannot: all fail by it.
    /// Returns what this rank fails by. Collective.
    pub fn decline_shared_array(&self, reason: Error) -> Error {
        self.shared_bytes(Err(reason.clone())).err().unwrap_or(reason)
    }

    fn shared_bytes(&self, len: Result<usize, Error>) -> Result<SharedArray<u8>, Error> {
        Ok(SharedArray::of(shared_bytes(&*self.mover.exchange.channel, self.mover.element, len)?))
    }
}

/// Memory for `len` elements of this rank, which the other ranks of its node can use; or the reason
/// why this rank asks for none. Collective.
///
/// # Errors
/// There is none, or less, or a rank asks for none: on every rank.
fn shared_bytes(
    channel: &dyn Channel,
    element: ElementType,
    len: Result<usize, Error>,
) -> Result<SharedBytes, Error> {
    match channel.context() {
        Some(context) => SharedBytes::new(context, element, len),
        None => Err(Error::Unavailable {
            what: "an array in shared memory".into(),
            reason: "ranks are threads of one process, which can use any array of each other's"
                .into(),
        }),
    }
}
