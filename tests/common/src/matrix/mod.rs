//! The matrix of features: every feature, by every way, over every transport, planned in every
//! tier. A cell is compared with the simulator, or is an error on all ranks, or does not apply,
//! with a reason. Tests of both transports play it, and write `docs/internals/matrix.md`.

mod calls;
mod elements;
mod expected;
mod page;
mod planned;
mod play;
mod sides;

pub use crate::faults::Way;
pub use expected::Expected;
pub use page::page;
pub use play::{Actor, play};

use redist::exec::Tier;

/// Ranks that a cell is played with.
pub const RANKS: usize = 4;

/// A feature for users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// `run` from layout to layout.
    Plain,
    /// Leading dimensions on both sides.
    LeadingDimension,
    /// Strides on both sides.
    Strides,
    /// Boxes in larger arrays on both sides.
    Within,
    /// Lists of ranks on both sides.
    RankMaps,
    /// Parts of larger arrays on both sides.
    Sections,
    /// Axes and storage the other way round.
    Transposition,
    /// Blocks of given sizes on both sides.
    GenBlock,
    /// Rows of given lengths, and parts of such rows.
    ReducedGrids,
    /// The destination's ranks go where most elements stay.
    Relabelling,
    /// The way back of a plan.
    Inverse,
    /// Elements go through a function.
    RunWith,
    /// α A + β B.
    ScaleAdd,
    /// Elements become those of another type.
    Converted,
    /// A part of a matrix.
    Trapezoid,
    /// A struct with the derived trait.
    Derived,
    /// Numbers of 16 bits.
    Half,
    /// Complex numbers.
    Complex,
    /// An element by `bytemuck`.
    Bytemuck,
    /// Elements of five bytes.
    OddSize,
    /// Elements that are longer than a cache line.
    LongElement,
    /// Arrays of the crate `ndarray`.
    Ndarray,
    /// `start` and `finish`.
    StartFinish,
    /// One array for both sides.
    InPlace,
    /// Two arrays of different types in one exchange.
    Batch,
    /// Copies on either side.
    Replication,
    /// `packing` and `unpacking`, with messages that the caller carries.
    Packing,
}

impl Feature {
    /// All features, in the order of the page.
    pub const ALL: &[Feature] = &[
        Feature::Plain,
        Feature::LeadingDimension,
        Feature::Strides,
        Feature::Within,
        Feature::RankMaps,
        Feature::Sections,
        Feature::Transposition,
        Feature::GenBlock,
        Feature::ReducedGrids,
        Feature::Relabelling,
        Feature::Inverse,
        Feature::RunWith,
        Feature::ScaleAdd,
        Feature::Converted,
        Feature::Trapezoid,
        Feature::Derived,
        Feature::Half,
        Feature::Complex,
        Feature::Bytemuck,
        Feature::OddSize,
        Feature::LongElement,
        Feature::Ndarray,
        Feature::StartFinish,
        Feature::InPlace,
        Feature::Batch,
        Feature::Replication,
        Feature::Packing,
    ];

    /// Returns `true` if local arrays have gaps.
    pub(crate) fn is_padded(self) -> bool {
        matches!(self, Feature::LeadingDimension | Feature::Strides | Feature::Within)
    }

    /// Returns `true` if a function of the caller's receives arriving elements.
    pub(crate) fn has_function(self) -> bool {
        matches!(self, Feature::RunWith | Feature::ScaleAdd | Feature::Converted)
    }
}

/// The ranks, and their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    /// Threads of one process.
    Threads,
    /// MPI processes that share memory.
    OneNode,
    /// MPI processes, not all of which share memory.
    SeveralNodes,
    /// Two programs of one node, a producer and a consumer.
    Coupling,
}

impl World {
    /// All worlds, in the order of the page.
    pub const ALL: [World; 4] =
        [World::Threads, World::OneNode, World::SeveralNodes, World::Coupling];
}

/// All ways, in the order of the page.
pub const WAYS: [Way; 7] = [
    Way::Lent,
    Way::Messages,
    Way::Steps,
    Way::Chunks,
    Way::Joined,
    Way::SharedSource,
    Way::Shared,
];

/// All tiers, in the order of the page.
pub const TIERS: [Tier; 3] = [Tier::Literal, Tier::Constant, Tier::RunTime];

/// One feature, by one way, between ranks of one sort, planned in one tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The feature.
    pub feature: Feature,
    /// The way of the plan.
    pub way: Way,
    /// The ranks.
    pub world: World,
    /// The tier of the plan.
    pub tier: Tier,
}

impl Cell {
    /// Returns its name in messages.
    pub fn name(&self) -> String {
        let Self { feature, way, world, tier } = self;
        format!("{feature:?}, {way:?}, {world:?}, {tier:?}")
    }
}

/// Returns all cells of a world, in the order of the page.
pub fn cells(world: World) -> impl Iterator<Item = Cell> {
    Feature::ALL.iter().flat_map(move |&feature| {
        WAYS.into_iter().flat_map(move |way| {
            TIERS.into_iter().map(move |tier| Cell { feature, way, world, tier })
        })
    })
}

/// Returns the cells that are played.
pub fn playable(world: World) -> impl Iterator<Item = Cell> {
    cells(world).filter(|cell| !matches!(cell.expected(), Expected::NotApplicable(_)))
}
