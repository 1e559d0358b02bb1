//! The one interface of all plans, whoever made them and when.

use super::Bound;
use super::unrolled::{PackRow, UnpackRow};
use crate::element::Element;
use crate::error::Error;
use crate::plan::{Piece, Plan};
use crate::transport::Transport;

/// A plan with an element type: what the macro's items and [`RuntimePlan`](super::RuntimePlan) are.
pub trait Redistribution<const D: usize> {
    /// What the array holds.
    type Element: Element;

    /// The name to call it by in messages.
    fn name(&self) -> &str;

    /// Who sends what to whom.
    fn plan(&self) -> Plan<D>;

    /// The window tables that are in the binary, by dimension; empty where closed forms or the walk do without.
    fn windows(&self) -> [&'static [Piece]; D] {
        [&[]; D]
    }

    /// Loops written out for this plan, along the fastest dimension of its messages.
    fn kernels(&self) -> Kernels<Self::Element> {
        Kernels::default()
    }

    /// What was decided, and when, in words.
    fn explain(&self) -> String {
        self.plan().explain()
    }

    /// Checks the plan with all ranks of a communicator and allocates all that its execution needs. Collective.
    ///
    /// # Errors
    /// Too few ranks, ranks with other plans or element types, ranks that are gone: the same error on every rank.
    fn bind<C: Transport>(&self, communicator: &C) -> Result<Bound<Self::Element, C::Channel<Self::Element>>, Error> {
        Bound::new(self.plan(), self.windows(), self.kernels(), communicator)
    }
}

/// Packs the whole blocks of a row of the local array.
pub type PackKernel<T> = fn(PackRow<'_, '_, T>);

/// Unpacks the whole blocks of a row of the local array.
pub type UnpackKernel<T> = fn(UnpackRow<'_, '_, T>);

/// Loops written out for one plan; `None` where the library's own are as good.
pub struct Kernels<T> {
    /// Written for the source's blocks.
    pub pack: Option<PackKernel<T>>,
    /// Written for the destination's blocks.
    pub unpack: Option<UnpackKernel<T>>,
}

impl<T> Default for Kernels<T> {
    fn default() -> Self {
        Self { pack: None, unpack: None }
    }
}
