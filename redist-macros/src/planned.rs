//! The planner's own view of a spec whose sizes are all known: what the macro plans, it plans with this.

use crate::spec::{DistSpec, LayoutSpec, Size, Spec};
use redist_runtime::layout::{BlockCyclic, Dist, StorageOrder};
use redist_runtime::plan::{Axis, Class, Section, Side};

/// The dimensions of a redistribution, in the source's axes. `None` where a size is unknown or against the rules.
pub fn axes(spec: &Spec) -> Option<Vec<Axis>> {
    (0..spec.extents.len()).map(|dimension| axis(spec, dimension)).collect()
}

fn axis(spec: &Spec, dimension: usize) -> Option<Axis> {
    let (extent, across) = (spec.extents[dimension].literal()?, spec.to.axes[dimension]);
    let (source, destination) = (section(&spec.from, dimension, extent)?, section(&spec.to, across, extent)?);
    let collapsed = |layout: &LayoutSpec, dimension: usize| matches!(layout.dists[dimension], DistSpec::Collapsed);
    Some(Axis::new(extent, source, destination, (collapsed(&spec.from, dimension), collapsed(&spec.to, across))))
}

fn section(layout: &LayoutSpec, dimension: usize, extent: usize) -> Option<Section> {
    let entry =
        |sizes: &Option<Vec<Size>>, default| sizes.as_ref().map_or(Some(default), |sizes| sizes[dimension].literal());
    let (stored, at) = (entry(&layout.of, extent)?, entry(&layout.at, 0)?);
    let (ranks, first) = (layout.grid[dimension].literal()?, layout.first[dimension].literal()?);
    let deal: BlockCyclic = dist(&layout.dists[dimension])?.deal(stored, ranks, first).ok()?;
    (at <= stored && extent <= stored - at).then(|| Section::new(deal, at))
}

/// One dimension's distribution as the planner has it.
pub fn dist(dist: &DistSpec) -> Option<Dist> {
    Some(match dist {
        DistSpec::Collapsed => Dist::Collapsed,
        DistSpec::Block => Dist::Block,
        DistSpec::BlockOf(block) => Dist::BlockOf(block.literal()?),
        DistSpec::Cyclic(block) => Dist::Cyclic(block.literal()?),
    })
}

/// The source's axis along which messages are contiguous.
pub fn fastest(spec: &Spec) -> usize {
    match spec.from.storage {
        StorageOrder::C => spec.extents.len() - 1,
        StorageOrder::Fortran => 0,
    }
}

/// True where the destination, too, stores the messages' fastest dimension contiguously.
pub fn fastest_on_both_sides(spec: &Spec) -> bool {
    let contiguous = match spec.to.storage {
        StorageOrder::C => spec.extents.len() - 1,
        StorageOrder::Fortran => 0,
    };
    spec.to.axes[fastest(spec)] == contiguous
}

/// Only general redistributions of whole dimensions need a table: identity, kr→r and r→kr have closed forms, and the
/// first window of a section is not like the others.
pub fn needs_table(axis: &Axis) -> bool {
    let whole = axis.side(Side::Source).at() == 0 && axis.side(Side::Destination).at() == 0;
    whole && axis.class() == Class::General
}
