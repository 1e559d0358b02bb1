//! Arrays in memory that the ranks of a node share.

use super::any::{AnyBound, AnyMover};
use super::bound::Bound;
use super::exchange::MessageExchange;
use super::mover::Mover;
use crate::element::{Element, ElementType};
use crate::error::Error;
use crate::plan::Side;
use crate::transport::mpi::{SharedArray, SharedBytes};

impl<T: Element, const D: usize> Bound<T, D> {
    /// Makes this rank's array on one side, zeroed, in memory shared with the ranks of its node.
    /// [`run`](Bound::run) needs no messages if all ranks are on one node. Collective.
    ///
    /// ```no_run
    /// # use redist_runtime as redist;
    /// use redist::transport::mpi::initialize;
    /// use redist::{Redistribution, TypedPlan, Side};
    ///
    /// let mpi = initialize()?;
    /// let world = mpi.world()?;
    /// let plan = TypedPlan::<f64, 1>::parse([1200], "cyclic(10) onto 3", "cyclic(2) onto 2")?;
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
    /// The errors of [`SharedArray::new`].
    pub fn shared_array(&self, side: Side) -> Result<SharedArray<T>, Error> {
        let (len, Mover { exchange, element, .. }) = (self.local_len(side), &self.mover);
        shared_bytes(exchange, *element, Ok(len)).map(SharedArray::of)
    }
}

impl AnyBound {
    /// Makes this rank's array as [`Bound::shared_array`]: in bytes, aligned for its elements.
    pub fn shared_array(&self, side: Side) -> Result<SharedArray<u8>, Error> {
        self.shared_bytes(Ok(self.local_len(side))).map(SharedArray::of)
    }

    /// Joins the other ranks' shared array and makes it fail on all ranks, because this rank cannot
    /// take part. Returns this rank's error. Collective.
    pub fn decline_shared_array(&self, reason: Error) -> Error {
        self.shared_bytes(Err(reason.clone())).err().unwrap_or(reason)
    }

    fn shared_bytes(&self, len: Result<usize, Error>) -> Result<SharedBytes, Error> {
        let exchange = match &self.moves {
            AnyMover::Planned(mover) => &mover.exchange,
            AnyMover::Listed(mover) => &mover.exchange,
            AnyMover::Copied(mover) => &mover.bound.exchange,
            AnyMover::Joined(_) => {
                return Err(Error::Unavailable {
                    what: "an array in shared memory".into(),
                    reason:
                        "parts of one array go from program to program in messages; bring any array"
                            .into(),
                });
            }
        };
        shared_bytes(exchange, self.element().element_type(), len)
    }
}

/// Shares memory for `len` elements of this rank with its node, or passes this rank's reason to
/// ask for none. Fails on every rank if one has too little memory, or asks for none. Collective.
fn shared_bytes(
    exchange: &MessageExchange,
    element: ElementType,
    len: Result<usize, Error>,
) -> Result<SharedBytes, Error> {
    match exchange.channel.context() {
        Some(context) => {
            context.set_up_array()?;
            SharedBytes::new(context.clone(), element, len)
        }
        None => Err(Error::Unavailable {
            what: "an array in shared memory".into(),
            reason: "ranks are threads of one process, which can use any array of each other's"
                .into(),
        }),
    }
}
