use super::{Redistribution, Tier};
use crate::element::Element;
use crate::layout::Layout;
use crate::plan::{ParsePlanError, Plan, PlanError, RelabelError};
use core::marker::PhantomData;

/// A [`Plan`] made at run time, with an element type. It moves the same elements in the same
/// messages as the macro's item for the same layouts; ranks of one run may mix the two.
#[derive(Clone, Copy, Debug)]
pub struct RuntimePlan<T, const D: usize> {
    plan: Plan<D>,
    element: PhantomData<fn() -> T>,
}

impl<T: Element, const D: usize> RuntimePlan<T, D> {
    /// Plans the move of an array of `extents` elements.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub const fn new(
        extents: [usize; D],
        from: Layout<D>,
        to: Layout<D>,
    ) -> Result<Self, PlanError> {
        match Plan::new(extents, from, to) {
            Ok(plan) => Ok(Self { plan, element: PhantomData }),
            Err(error) => Err(error),
        }
    }

    /// Returns the plan whose destination ranks take the grid cells that let most elements stay:
    /// see [`Plan::relabelled`], which also counts them.
    ///
    /// # Errors
    /// As [`Plan::relabelled`].
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::exec::{Redistribution, RuntimePlan};
    /// let plan = RuntimePlan::<f64, 1>::parse([24], "cyclic(3) onto 4", "cyclic(5) onto 4")?;
    /// let best = plan.relabelled()?;
    /// assert_eq!((plan.plan().stays().value, best.plan().stays().value), (4, 12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn relabelled(&self) -> Result<Self, RelabelError> {
        self.plan.relabelled().map(|best| Self::from(best.plan))
    }

    /// Plans as [`RuntimePlan::new`], with both layouts in the macro's notation.
    ///
    /// # Errors
    /// As [`Plan::parse`].
    pub fn parse(extents: [usize; D], from: &str, to: &str) -> Result<Self, ParsePlanError> {
        Plan::parse(extents, from, to).map(Self::from)
    }
}

impl<T, const D: usize> From<Plan<D>> for RuntimePlan<T, D> {
    fn from(plan: Plan<D>) -> Self {
        Self { plan, element: PhantomData }
    }
}

impl<T: Element, const D: usize> Redistribution<D> for RuntimePlan<T, D> {
    type Element = T;

    fn name(&self) -> &str {
        "run-time plan"
    }

    fn tiers(&self) -> [(Tier, &'static str); D] {
        [(Tier::RunTime, "the layouts are values"); D]
    }

    fn plan(&self) -> Plan<D> {
        self.plan
    }
}
