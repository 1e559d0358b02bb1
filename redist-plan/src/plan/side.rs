//! The two sides of a move.

use core::fmt;

/// The two sides of a redistribution.
///
/// ```
/// # use redist_plan as redist;
/// use redist::{Plan, Side};
/// let plan = Plan::<1>::parse([1000], "block onto 4", "block onto 3")?;
/// let lens = [Side::Source, Side::Destination].map(|side| plan.descriptor(side).local(0).len());
/// assert_eq!(lens, [250, 334]);
/// # Ok::<(), redist::plan::ParsePlanError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The array before the move: `from`.
    Source,
    /// The array after the move: `to`.
    Destination,
}

impl Side {
    /// Returns the other side.
    #[doc(hidden)]
    pub const fn other(self) -> Side {
        match self {
            Side::Source => Side::Destination,
            Side::Destination => Side::Source,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Side::Source => "source",
            Side::Destination => "destination",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
