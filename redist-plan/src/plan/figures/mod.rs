//! Figures of a plan: closed forms first, then a bounded search of ranks, which visits fewer in
//! rustc's const evaluator. Figures that are exact in both are the same.

mod demand;
mod givers;
mod memory;
mod messages;
mod partners;
mod residues;
mod stays;

#[doc(hidden)]
pub use demand::Demand;

/// A figure of a plan, such as [`Plan::messages`](super::Plan::messages).
///
/// ```
/// # use redist_plan as redist;
/// use redist::Plan;
/// let plan = Plan::<1>::parse([1200], "cyclic(10) onto 4", "cyclic(30) onto 6")?;
/// let messages = plan.messages();
/// assert_eq!((messages.value, messages.is_exact), (5, true));
/// # Ok::<(), redist::plan::ParsePlanError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Figure {
    /// The number itself, or a bound.
    pub value: usize,
    /// `true` if the value is no bound.
    pub is_exact: bool,
}

impl Figure {
    const fn exact(value: usize) -> Self {
        Self { value, is_exact: true }
    }

    const fn bound(value: usize) -> Self {
        Self { value, is_exact: false }
    }

    const fn times(self, other: Self) -> Self {
        let value = self.value.saturating_mul(other.value);
        Self { value, is_exact: self.is_exact && other.is_exact }
    }
}

/// Block visits that a figure may still take.
#[derive(Clone, Copy, Debug)]
pub struct Effort(usize);

const COUNT: usize = 64;

impl Effort {
    /// Closed forms only.
    pub const NONE: Self = Self(0);

    /// A few milliseconds.
    pub const OF_PROGRAMS: Self = Self(1 << 18);

    /// A few seconds of rustc's const evaluator.
    pub const OF_CONSTANTS: Self = Self(1 << 15);

    const fn spend(&mut self, visits: usize) -> bool {
        let enough = visits <= self.0;
        self.0 = self.0.saturating_sub(visits);
        enough
    }
}
