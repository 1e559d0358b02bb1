//! A redistribution as the user described it, and what is done with it.

use crate::failure::CommandFailure;
use redist::Plan;
use redist_notation::spec::Saving;

/// A redistribution as the user described it.
#[derive(Clone, Debug)]
pub struct PlannedItem<const D: usize> {
    /// Its name, where it was given one.
    pub name: Option<String>,
    /// The element type, as written.
    pub element: String,
    /// Bytes of an element, where the type is one that is known.
    pub element_bytes: Option<usize>,
    /// Who sends what to whom.
    pub plan: Plan<D>,
    /// What the map of the destination's ranks saves, where one was asked for.
    pub relabelled: Option<Saving>,
}

/// What a command does with a redistribution of any number of dimensions.
pub trait Visitor {
    /// Does it.
    ///
    /// # Errors
    /// Whatever goes wrong.
    fn visit<const D: usize>(self, item: &PlannedItem<D>) -> Result<(), CommandFailure>;
}
