use crate::error::Error;
use crate::exec::Replicated;
use crate::layout::{BlockCyclicError, Layout, LayoutError};
use crate::plan::{Plan, PlanError, Side};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Extent,
    Block,
    Grid,
    /// The coordinate of block 0.
    First,
    Stored,
    /// First index of a section.
    At,
    Ranks,
    Layout,
}

#[derive(Clone, Copy, Debug)]
pub struct Given {
    pub side: Side,
    pub dimension: usize,
    pub role: Role,
    pub expression: &'static str,
}

impl Given {
    pub const fn new(side: Side, dimension: usize, role: Role, expression: &'static str) -> Self {
        Self { side, dimension, role, expression }
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
            .filter(|given| is_at_fault(given, &error))
            .map(|given| format!("`{}`", given.expression));
        Error::Given { item, error, expressions: faulty.collect() }
    })
}

/// Returns the plan between first copies if each side can have so many copies.
pub fn copied<const D: usize>(plan: Plan<D>, copies: [usize; 2]) -> Result<Plan<D>, Error> {
    Replicated::<u8, D>::of(&plan, copies).map(|_| plan)
}

fn is_at_fault(given: &Given, error: &PlanError) -> bool {
    let (side, dimension, roles) = match *error {
        PlanError::Layout { side, error: LayoutError::Dimension { dimension, error } } => {
            (side, Some(dimension), roles(error))
        }
        PlanError::Layout { side, error: LayoutError::TooManyRanks { .. } } => {
            (side, None, &[Role::Grid, Role::Ranks][..])
        }
        PlanError::Layout { side, error: LayoutError::WrongNumberOfRanks { .. } } => {
            (side, None, &[Role::Grid, Role::Ranks][..])
        }
        PlanError::Layout {
            side,
            error: LayoutError::RankTwice { .. } | LayoutError::RankTooHigh { .. },
        } => (side, None, &[Role::Ranks][..]),
        PlanError::Layout { side, error: LayoutError::TooManyElements } => {
            (side, None, &[Role::Extent, Role::Stored][..])
        }
        PlanError::Layout { side, .. } => (side, None, &[Role::Layout][..]),
        PlanError::SectionOutside { side, dimension, .. } => {
            (side, Some(dimension), &[Role::At, Role::Stored, Role::Extent][..])
        }
        PlanError::Ranks { side, .. } => (side, None, &[Role::Grid, Role::Ranks][..]),
        PlanError::SourcePermuted => (Side::Source, None, &[Role::Layout][..]),
        PlanError::NotAPermutation { .. } => (Side::Destination, None, &[Role::Layout][..]),
    };
    match given.role {
        // Extents use the source's axes, whose order the destination may change.
        Role::Extent => {
            roles.contains(&Role::Extent)
                && (side == Side::Destination || dimension.is_none_or(|d| d == given.dimension))
        }
        Role::Layout => side == given.side,
        role => {
            side == given.side
                && dimension.is_none_or(|d| d == given.dimension)
                && roles.contains(&role)
        }
    }
}

fn roles(error: BlockCyclicError) -> &'static [Role] {
    match error {
        BlockCyclicError::ZeroBlock | BlockCyclicError::BlockTooLarge { .. } => &[Role::Block],
        BlockCyclicError::ZeroRanks => &[Role::Grid],
        BlockCyclicError::FirstOutsideGrid { .. } => &[Role::First, Role::Grid],
        BlockCyclicError::ExtentTooLarge { .. } => &[Role::Extent, Role::Stored],
        _ => &[Role::Block, Role::Grid, Role::Extent, Role::Stored],
    }
}
