use crate::failure::CommandFailure;
use redist::Plan;
use redist_notation::spec::Saving;

#[derive(Clone, Debug)]
pub struct PlannedItem<const D: usize> {
    pub name: Option<String>,
    pub element: String,
    pub element_bytes: Option<usize>,
    pub plan: Plan<D>,
    pub relabelled: Option<Saving>,
}

pub trait Visitor {
    fn visit<const D: usize>(self, item: &PlannedItem<D>) -> Result<(), CommandFailure>;
}
