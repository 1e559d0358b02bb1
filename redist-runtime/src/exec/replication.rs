use super::replicated::{BoundReplicas, Replicated};
use crate::element::Element;
use crate::error::Error;
use crate::plan::{Plan, Side};
use crate::transport::Transport;

/// An item of `redistribute!` with `copies` on a side. Its first copies are checked and planned as
/// any item; [`bind`](Replication::bind) plans a move for each copy of the destination. It is no
/// [`Redistribution`](super::Redistribution), which has one plan.
pub trait Replication<const D: usize> {
    // As in `Redistribution`, without links to other items.

    /// Type of the array's elements.
    type Element: Element;

    /// Returns the name for messages.
    #[doc(hidden)]
    fn name(&self) -> &str;

    /// Returns the plan between the first copies of both sides.
    #[doc(hidden)]
    fn first(&self) -> Plan<D>;

    /// Returns the number of copies of a side.
    #[doc(hidden)]
    fn copies(&self, side: Side) -> usize;

    /// Returns the plan between all copies.
    ///
    /// # Errors
    /// As `Replicated::new`.
    #[doc(hidden)]
    fn replicated(&self) -> Result<Replicated<Self::Element, D>, Error> {
        Replicated::of(
            &self.first(),
            [Side::Source, Side::Destination].map(|side| self.copies(side)),
        )
    }

    /// Checks the plan with all ranks of a communicator. Collective.
    ///
    /// # Errors
    /// As `Replicated::new` and `Replicated::bind`.
    fn bind<C: Transport>(&self, communicator: &C) -> Result<BoundReplicas<Self::Element>, Error> {
        self.replicated()?.bind(communicator)
    }

    /// Lists the source copy of each destination copy.
    ///
    /// # Errors
    /// As `Replicated::new`.
    fn explain(&self) -> Result<String, Error> {
        Ok(format!("{}: {}", self.name(), self.replicated()?.explain()))
    }
}
