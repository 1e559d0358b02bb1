use crate::failure::CommandFailure;
use redist::Plan;
use redist_notation::spec::Saving;

#[derive(Clone, Debug)]
pub struct PlannedItem<const D: usize> {
    pub name: Option<String>,
    /// The element type, as written.
    pub element: String,
    /// Bytes of an element, where the type is one that is known.
    pub element_bytes: Option<usize>,
    pub plan: Plan<D>,
    /// The elements that the map of the destination's ranks saves, if one was asked for.
    pub relabelled: Option<Saving>,
}

/// The work of a command with a redistribution of any number of dimensions.
pub trait Visitor {
    fn visit<const D: usize>(self, item: &PlannedItem<D>) -> Result<(), CommandFailure>;
}
