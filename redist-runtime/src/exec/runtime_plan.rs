use super::{Redistribution, Tier};
use crate::element::Element;
use crate::layout::Layout;
use crate::plan::{ParsePlanError, Plan, PlanError};
use core::marker::PhantomData;

/// A [`Plan`] made at run time, with an element type. It moves the same elements in the same
/// messages as the macro's item for the same layouts; ranks of one run may mix the two.
///
/// ```
/// # use redist_runtime as redist;
/// use redist::{Redistribution, RuntimePlan, Side, ok, threads};
///
/// let plan = RuntimePlan::<f64, 2>::parse([8, 12], "(block, *) onto 4", "(*, block) onto 4")?;
/// let columns = threads::run(4, |rank| {
///     let mut bound = plan.bind(rank)?;
///     let rows = vec![rank.rank() as f64; bound.local_len(Side::Source)];
///     let mut columns = vec![0.0; bound.local_len(Side::Destination)];
///     bound.run(&rows, &mut columns)?;
///     ok(columns)
/// })?;
/// assert_eq!(columns[0][..9], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
