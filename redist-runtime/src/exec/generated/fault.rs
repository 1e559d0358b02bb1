//! Reports a rule that constants break, at the expression at fault.
//!
//! rustc reports a panic in a constant at the call that panicked. So each expression gets a call at
//! its own place in the user's source, which panics if the fault is its own.

use super::Role;
use crate::layout::{BlockCyclicError, Dist, Layout, LayoutError};
use crate::plan::{Plan, PlanError, Side};

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
    match *error {
        PlanError::Layout { error: LayoutError::Dimension { dimension, error }, .. } => match error
        {
            BlockCyclicError::ZeroRanks => (Role::Grid, 0),
            BlockCyclicError::FirstOutsideGrid { .. } => (Role::First, dimension),
            BlockCyclicError::ExtentTooLarge { .. } => (Role::Extent, 0),
            _ => (Role::Block, dimension),
        },
        PlanError::Layout { error: LayoutError::TooManyRanks { base: 0 }, .. } => (Role::Grid, 0),
        PlanError::Layout { error: LayoutError::TooManyRanks { .. }, .. } => (Role::Ranks, 0),
        // The grid is at fault, because the list is as long as the user wrote it.
        PlanError::Layout { error: LayoutError::WrongNumberOfRanks { .. }, .. } => (Role::Grid, 0),
        PlanError::Layout { error: LayoutError::RankTwice { second: place, .. }, .. }
        | PlanError::Layout { error: LayoutError::RankTooHigh { place, .. }, .. } => {
            (Role::Ranks, place)
        }
        PlanError::Layout { error: LayoutError::TooManyElements, .. } => (Role::Extent, 0),
        PlanError::SectionOutside { dimension, .. } => (Role::At, dimension),
        PlanError::Ranks { .. } => (Role::Ranks, 0),
        _ => (Role::Layout, 0),
    }
}
