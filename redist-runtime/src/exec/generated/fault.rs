//! Reports a rule that layouts break, at the expression at fault.
//!
//! rustc reports a panic in a constant at the call that panicked. So each expression gets a call at
//! its own place in the user's source, which panics if the fault is its own.

use crate::error::Error;
use crate::exec::PlanWithCopies;
use crate::layout::{BlockCyclicError, Copies, Dist, Layout, LayoutError};
use crate::plan::{Plan, PlanError, Side};

/// The part of a layout that an expression states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Indices of the array along a dimension.
    Extent,
    /// Size of a block.
    Block,
    /// Ranks along a dimension of the grid.
    Grid,
    /// The coordinate of block 0.
    First,
    /// Indices of the stored array along a dimension, of which a section moves.
    Stored,
    /// First index of a section.
    At,
    /// Ranks that form the grid.
    Ranks,
    /// The whole side, or the order of its axes.
    Layout,
}

/// A user's expression that has a value at run time only.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    /// Side that states it; for extents, the source.
    pub side: Side,
    /// Number of the dimension in that side's axes.
    pub dimension: usize,
    /// The part of the layout that it states.
    pub role: Role,
    /// The expression in the user's words.
    pub expression: &'static str,
}

impl Given {
    pub const fn new(side: Side, dimension: usize, role: Role, expression: &'static str) -> Self {
        Self { side, dimension, role, expression }
    }

    fn is_at_fault(&self, error: &PlanError) -> bool {
        let (side, dimension, roles) = at_fault(error);
        let is_here = side == self.side && dimension.is_none_or(|d| d == self.dimension);
        match self.role {
            // Extents use the source's axes, whose order the destination may change.
            Role::Extent => roles.contains(&Role::Extent) && (side == Side::Destination || is_here),
            Role::Layout => side == self.side,
            role => is_here && roles.contains(&role),
        }
    }
}

/// Plans an item, with the range of ranks that a side names. Errors name the item and expressions.
pub fn planned<const D: usize>(
    item: &'static str,
    extents: [usize; D],
    (from, from_end): (Layout<D>, Option<usize>),
    (to, to_end): (Layout<D>, Option<usize>),
    given: &[Given],
) -> Result<Plan<D>, Error> {
    let plan = Plan::new(extents, from, to).and_then(|plan| {
        plan.check_ranks(Side::Source, from_end)?;
        plan.check_ranks(Side::Destination, to_end)?;
        Ok(plan)
    });
    plan.map_err(|error| {
        let faulty = given
            .iter()
            .filter(|given| given.is_at_fault(&error))
            .map(|given| format!("`{}`", given.expression));
        Error::Given { item, error, expressions: faulty.collect() }
    })
}

/// Returns the plan between first copies if each side can have so many copies, along these axes.
pub fn copied<const D: usize>(
    plan: Plan<D>,
    counts: [usize; 2],
    along: [Option<usize>; 2],
) -> Result<Plan<D>, Error> {
    let copies = [0, 1].map(|side: usize| Copies { count: counts[side], along: along[side] });
    PlanWithCopies::<u8, D>::of(&plan, copies).map(|_| plan)
}

/// Returns the first rule that a side breaks; `end` is one past its last rank if the item names it.
pub const fn fault<const D: usize>(
    side: Side,
    extents: [usize; D],
    layout: Layout<D>,
    end: Option<usize>,
) -> Option<PlanError> {
    // The opposite layout breaks no rule. Broken extents are the source's fault.
    let whole = Layout::new([Dist::Collapsed; D], [1; D]);
    let plan = match side {
        Side::Source => Plan::new(extents, layout, whole),
        Side::Destination => Plan::new(extents, whole, layout),
    };
    match plan {
        Ok(plan) => match plan.check_ranks(side, end) {
            Ok(()) => None,
            Err(error) => Some(error),
        },
        Err(PlanError::Layout { side: Side::Source, .. }) if matches!(side, Side::Destination) => {
            None
        }
        Err(error) => Some(error),
    }
}

/// Panics if the fault is about this role and dimension; [`Role::Layout`] takes all.
#[track_caller]
pub const fn report(fault: Option<PlanError>, role: Role, dimension: usize) {
    if let Some(error) = fault {
        let (faulty, place) = about(&error);
        if matches!(role, Role::Layout) || (role as u8 == faulty as u8 && dimension == place) {
            error.panic();
        }
    }
}

/// Returns the expression to change, with its dimension or place in a map; 0 for the whole side.
const fn about(error: &PlanError) -> (Role, usize) {
    let (_, dimension, roles) = at_fault(error);
    let place = match (*error, roles[0], dimension) {
        (PlanError::Layout { error: LayoutError::RankTwice { second: place, .. }, .. }, ..)
        | (PlanError::Layout { error: LayoutError::RankTooHigh { place, .. }, .. }, ..) => place,
        (_, Role::Grid | Role::Extent, _) | (.., None) => 0,
        (.., Some(dimension)) => dimension,
    };
    (roles[0], place)
}

/// Returns the side, the dimension if only one is at fault, and the roles at fault, the one to
/// change first.
const fn at_fault(error: &PlanError) -> (Side, Option<usize>, &'static [Role]) {
    let (side, error) = match *error {
        PlanError::Layout { side, error } => (side, error),
        PlanError::SectionOutside { side, dimension, .. } => {
            return (side, Some(dimension), &[Role::At, Role::Stored, Role::Extent]);
        }
        PlanError::Ranks { side, .. } => return (side, None, &[Role::Ranks, Role::Grid]),
        PlanError::SourcePermuted => return (Side::Source, None, &[Role::Layout]),
        PlanError::NotAPermutation { .. } => return (Side::Destination, None, &[Role::Layout]),
    };
    match error {
        LayoutError::Dimension { dimension, error } => (side, Some(dimension), roles(error)),
        // Blame the grid: the length of a rank list is what the user wrote.
        LayoutError::TooManyRanks { base: 0 } | LayoutError::WrongNumberOfRanks { .. } => {
            (side, None, &[Role::Grid, Role::Ranks])
        }
        LayoutError::TooManyRanks { .. } => (side, None, &[Role::Ranks, Role::Grid]),
        LayoutError::RankTwice { .. } | LayoutError::RankTooHigh { .. } => {
            (side, None, &[Role::Ranks])
        }
        LayoutError::TooManyElements => (side, None, &[Role::Extent, Role::Stored]),
        _ => (side, None, &[Role::Layout]),
    }
}

const fn roles(error: BlockCyclicError) -> &'static [Role] {
    match error {
        BlockCyclicError::ZeroBlock | BlockCyclicError::BlockTooLarge { .. } => &[Role::Block],
        BlockCyclicError::ZeroRanks => &[Role::Grid],
        BlockCyclicError::FirstOutsideGrid { .. } => &[Role::First, Role::Grid],
        BlockCyclicError::ExtentTooLarge { .. } => &[Role::Extent, Role::Stored],
        _ => &[Role::Block, Role::Grid, Role::Extent, Role::Stored],
    }
}
