//! The way back of a plan, with what was made for it.

use super::{Kernels, Redistribution, Tier};
use crate::element::Element;
use crate::plan::{Piece, Plan};
use core::marker::PhantomData;

/// The way back: what [`Redistribution::inverse`] returns. A redistribution like the one that it is
/// the inverse of, and planned when that was.
#[derive(Clone, Debug)]
pub struct Inverse<T, const D: usize> {
    back: PlanParts<D>,
    there: PlanParts<D>,
    element: PhantomData<fn() -> T>,
}

/// All that is known of a plan.
#[derive(Clone, Debug)]
struct PlanParts<const D: usize> {
    name: String,
    plan: Plan<D>,
    tiers: [(Tier, &'static str); D],
    windows: [&'static [Piece]; D],
    kernels: Kernels,
}

impl<T, const D: usize> Inverse<T, D> {
    /// The inverse of `there`, given its plan, the window tables that are in the binary for it, and
    /// its loops.
    pub(super) fn new(
        there: &(impl Redistribution<D, Element = T> + ?Sized),
        plan: Plan<D>,
        windows: [&'static [Piece]; D],
        kernels: Kernels,
    ) -> Self {
        let (name, tiers) = (there.name(), there.tiers());
        let back = PlanParts {
            name: format!("inverse of {name}"),
            plan,
            // The inverse counts dimensions in the axes of what was the destination.
            tiers: core::array::from_fn(|dimension| tiers[plan.destination_axis(dimension)]),
            windows,
            kernels,
        };
        let (name, plan, windows, kernels) =
            (name.into(), there.plan(), there.windows(), there.kernels());
        Self {
            back,
            there: PlanParts { name, plan, tiers, windows, kernels },
            element: PhantomData,
        }
    }
}

impl<T: Element, const D: usize> Redistribution<D> for Inverse<T, D> {
    type Element = T;

    fn name(&self) -> &str {
        &self.back.name
    }

    fn plan(&self) -> Plan<D> {
        self.back.plan
    }

    fn windows(&self) -> [&'static [Piece]; D] {
        self.back.windows
    }

    fn tiers(&self) -> [(Tier, &'static str); D] {
        self.back.tiers
    }

    fn kernels(&self) -> Kernels {
        self.back.kernels
    }

    fn inverse(&self) -> Inverse<T, D> {
        let Self { back, there, element } = self.clone();
        Inverse { back: there, there: back, element }
    }
}
