//! What items of the macro with `copies` on a side are.

use super::replicated::{BoundReplicas, Replicated};
use crate::element::Element;
use crate::error::Error;
use crate::plan::{Plan, Side};
use crate::transport::Transport;

/// An item of `redistribute!` with `copies` on a side: the layouts of the first copies are checked
/// and planned as those of any item, and [`bind`](Replication::bind) plans the moves between all
/// copies, one for each copy of the destination.
///
/// It is no [`Redistribution`](super::Redistribution): that is one plan.
pub trait Replication<const D: usize> {
    // As in `Redistribution`, without links to other items.

    /// What the array holds.
    type Element: Element;

    /// The name to call it by in messages.
    fn name(&self) -> &str;

    /// The plan between the first copies of both sides.
    fn first(&self) -> Plan<D>;

    /// How many copies a side has.
    fn copies(&self, side: Side) -> usize;

    /// The plan between all copies: which is read from which.
    ///
    /// # Errors
    /// As `Replicated::of`.
    fn replicated(&self) -> Result<Replicated<Self::Element, D>, Error> {
        Replicated::of(
            &self.first(),
            [Side::Source, Side::Destination].map(|side| self.copies(side)),
        )
    }

    /// Checks the plan with all ranks of a communicator. Collective.
    ///
    /// # Errors
    /// As `Replicated::of` and `Replicated::bind`.
    fn bind<C: Transport>(&self, communicator: &C) -> Result<BoundReplicas<Self::Element>, Error> {
        self.replicated()?.bind(communicator)
    }

    /// Which copy is read from which, in words.
    ///
    /// # Errors
    /// As `Replicated::of`.
    fn explain(&self) -> Result<String, Error> {
        Ok(format!("{}: {}", self.name(), self.replicated()?.explain()))
    }
}
