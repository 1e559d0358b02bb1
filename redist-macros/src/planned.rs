//! The planner's own view of a spec: what the macro plans, it plans with this.

use crate::spec::{DistSpec, LayoutSpec, Size, Spec};
use redist_runtime::layout::{BlockCyclic, Dist, MAX_EXTENT, StorageOrder};
use redist_runtime::plan::{Axis, Section};

/// The dimensions of a redistribution of which the macro knows every number, in the source's axes.
pub fn axes(spec: &Spec) -> Option<Vec<Axis>> {
    spec.literal_layouts()?;
    (0..spec.extents.len()).map(|dimension| axis(spec, dimension)).collect()
}

/// One dimension, where its blocks and grids are known: everything that loops and tables depend on. An extent that is
/// not known may be any.
pub fn axis(spec: &Spec, dimension: usize) -> Option<Axis> {
    let (from, to) = spec.from.layout().zip(spec.to.layout())?;
    let (extent, across) = (spec.extents[dimension].literal(), to.axes[dimension]);
    let (source, destination) = (section(from, dimension, extent)?, section(to, across, extent)?);
    let collapsed = |layout: &LayoutSpec, dimension: usize| matches!(layout.dists[dimension], DistSpec::Collapsed);
    let len = extent.unwrap_or(MAX_EXTENT);
    Some(Axis::new(len, source, destination, (collapsed(from, dimension), collapsed(to, across))))
}

fn section(layout: &LayoutSpec, dimension: usize, extent: Option<usize>) -> Option<Section> {
    let entry =
        |sizes: &Option<Vec<Size>>, default| sizes.as_ref().map_or(Some(default), |sizes| sizes[dimension].literal());
    let (dist, len) = (dist(&layout.dists[dimension])?, extent.unwrap_or(MAX_EXTENT));
    if extent.is_none() && (matches!(dist, Dist::Block | Dist::BlockOf(_) | Dist::GenBlock(_)) || layout.of.is_some()) {
        return None;
    }
    let (stored, at) = (entry(&layout.of, len)?, entry(&layout.at, 0)?);
    let (ranks, first) = (layout.grid[dimension].literal()?, layout.first[dimension].literal()?);
    let deal: BlockCyclic = dist.deal(stored, ranks, first).ok()?;
    (at <= stored && len <= stored - at).then(|| Section::new(deal, at))
}

/// One dimension's distribution as the planner has it.
pub fn dist(dist: &DistSpec) -> Option<Dist> {
    Some(match dist {
        DistSpec::Collapsed => Dist::Collapsed,
        DistSpec::Block => Dist::Block,
        DistSpec::BlockOf(block) => Dist::BlockOf(block.literal()?),
        DistSpec::Cyclic(block) => Dist::Cyclic(block.literal()?),
        DistSpec::GenBlock(sizes) => Dist::gen_block(&sizes.iter().map(Size::literal).collect::<Option<Vec<_>>>()?),
    })
}

/// The source's axis along which messages are contiguous, where the source's storage is known.
pub fn fastest(spec: &Spec) -> Option<usize> {
    spec.from.layout().map(|from| contiguous(from.storage, spec.extents.len()))
}

/// True where the destination, too, stores the messages' fastest dimension contiguously.
pub fn fastest_on_both_sides(spec: &Spec) -> bool {
    let fastest = fastest(spec).zip(spec.to.layout());
    fastest.is_some_and(|(fastest, to)| to.axes[fastest] == contiguous(to.storage, spec.extents.len()))
}

fn contiguous(storage: StorageOrder, dimensions: usize) -> usize {
    match storage {
        StorageOrder::C => dimensions - 1,
        StorageOrder::Fortran => 0,
    }
}
