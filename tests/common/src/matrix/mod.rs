//! The matrix of features: every feature, by every way, over every transport, planned in every
//! tier. A cell is compared with the simulator, or is an error on all ranks, or does not apply.
//! Tests of both transports play it, and write `docs/internals/matrix.md`.

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

pub const RANKS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    Plain,
    LeadingDimension,
    Strides,
    /// Boxes in larger arrays on both sides.
    Within,
    /// Lists of ranks on both sides.
    RankMaps,
    Sections,
    /// Axes and storage the other way round.
    Transposition,
    GenBlock,
    /// `blocks`: listed cuts and owners.
    Listed,
    /// `split`: factors of a dimension, which fall on no blocks of the other side.
    Split,
    /// `block balanced` and `block balanced last`, where they are no `block`.
    Balanced,
    /// Rows of given lengths, and parts of such rows.
    ReducedGrids,
    /// The destination's ranks go where most elements stay.
    Relabelling,
    Inverse,
    RunWith,
    /// α A + β B.
    ScaleAdd,
    /// Elements become elements of a different type.
    Converted,
    Trapezoid,
    Derived,
    Half,
    Complex,
    Bytemuck,
    OddSize,
    /// Elements that are longer than a cache line.
    LongElement,
    Ndarray,
    StartFinish,
    /// One array for both sides.
    InPlace,
    Batch,
    WithCopies,
    /// `packing` and `unpacking`, with messages that the caller carries.
    Packing,
}

impl Feature {
    pub const ALL: &[Feature] = &[
        Feature::Plain,
        Feature::LeadingDimension,
        Feature::Strides,
        Feature::Within,
        Feature::RankMaps,
        Feature::Sections,
        Feature::Transposition,
        Feature::GenBlock,
        Feature::Balanced,
        Feature::Listed,
        Feature::Split,
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
        Feature::WithCopies,
        Feature::Packing,
    ];

    pub(crate) fn is_padded(self) -> bool {
        matches!(self, Feature::LeadingDimension | Feature::Strides | Feature::Within)
    }

    /// Returns `true` if a function of the caller's receives arriving elements.
    pub(crate) fn has_function(self) -> bool {
        matches!(self, Feature::RunWith | Feature::ScaleAdd | Feature::Converted)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    Threads,
    OneNode,
    /// MPI processes, not all of which share memory.
    SeveralNodes,
    /// Two programs of one node, a producer and a consumer.
    Coupling,
}

impl World {
    pub const ALL: [World; 4] =
        [World::Threads, World::OneNode, World::SeveralNodes, World::Coupling];
}

pub const WAYS: [Way; 6] =
    [Way::Lent, Way::Messages, Way::Steps, Way::Chunks, Way::SharedSource, Way::Shared];

pub const TIERS: [Tier; 3] = [Tier::Literal, Tier::Constant, Tier::RunTime];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    pub feature: Feature,
    pub way: Way,
    pub world: World,
    pub tier: Tier,
}

impl Cell {
    pub fn name(&self) -> String {
        let Self { feature, way, world, tier } = self;
        format!("{feature:?}, {way:?}, {world:?}, {tier:?}")
    }
}

pub fn cells(world: World) -> impl Iterator<Item = Cell> {
    Feature::ALL.iter().flat_map(move |&feature| {
        WAYS.into_iter().flat_map(move |way| {
            TIERS.into_iter().map(move |tier| Cell { feature, way, world, tier })
        })
    })
}

pub fn playable(world: World) -> impl Iterator<Item = Cell> {
    cells(world).filter(|cell| !matches!(cell.expected(), Expected::NotApplicable(_)))
}
