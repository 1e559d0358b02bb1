//! A transport with a cost model of the caller's.

use super::{Proposal, Transport};
use crate::error::Error;
use crate::plan::schedule::CostModel;

/// The same ranks, with another model of what their messages cost: made by [`Transport::with_cost_model`].
#[derive(Debug)]
pub struct Costed<'a, C> {
    transport: &'a C,
    model: CostModel,
}

impl<'a, C: Transport> Costed<'a, C> {
    pub(super) fn new(transport: &'a C, model: CostModel) -> Self {
        Self { transport, model }
    }

    #[cfg(feature = "mpi")]
    pub(super) fn transport(&self) -> &'a C {
        self.transport
    }
}

impl<C: Transport> Transport for Costed<'_, C> {
    type Channel = C::Channel;

    fn rank(&self) -> usize {
        self.transport.rank()
    }

    fn size(&self) -> usize {
        self.transport.size()
    }

    fn cost_model(&self) -> CostModel {
        // Collective: a rank that left it out would not meet those that have no model of their own.
        self.transport.cost_model();
        self.model
    }

    fn open(&self, proposal: Result<Proposal<'_>, Error>) -> Result<Self::Channel, Error> {
        self.transport.open(proposal)
    }
}
