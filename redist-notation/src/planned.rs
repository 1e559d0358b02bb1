//! The planner's own view of a spec: what the macro plans, it plans with this.

use crate::spec::{DistSpec, LayoutSpec, Size, Spec};
use redist_runtime::layout::{BlockCyclic, Dist, MAX_EXTENT, StorageOrder};
use redist_runtime::plan::{Axis, Section};

/// The dimensions of a redistribution, in the source's axes, if the macro knows all their numbers.
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

/// The source's axis along which messages of the inverse are contiguous, where the destination's storage is known.
pub fn fastest_back(spec: &Spec) -> Option<usize> {
    spec.to.layout().map(|to| to.source_axis(contiguous(to.storage, spec.extents.len())))
}

/// True where both sides store the messages' fastest dimension contiguously.
pub fn fastest_on_both_sides(spec: &Spec) -> bool {
    fastest(spec).is_some() && fastest(spec) == fastest_back(spec)
}

fn contiguous(storage: StorageOrder, dimensions: usize) -> usize {
    match storage {
        StorageOrder::C => dimensions - 1,
        StorageOrder::Fortran => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::spec;
    use redist_runtime::plan::{Class, Plan};

    fn first_axis(params: &str, extents: &str, sides: &str) -> Option<Axis> {
        axis(&spec(&format!("struct R{params}: [f64; {extents}] {{ {sides} }}")), 0)
    }

    #[test]
    fn literals_are_planned_as_at_run_time() {
        let sides = ("(cyclic(4), gen_block([3, 7])) onto (2, 2)", "(block(50), *) onto 2 of [100, 30] at [1, 2]");
        let spec = spec(&format!("struct R: [f64; 90, 10] {{ from: {}, to: {} }}", sides.0, sides.1));
        let plan = Plan::parse([90, 10], sides.0, sides.1).unwrap();
        assert_eq!(axes(&spec), Some(vec![plan.axis(0), plan.axis(1)]));
    }

    #[test]
    fn an_unknown_extent_does_not_hide_blocks() {
        let sides = "from: cyclic(6) onto 2, to: cyclic(4) onto 3";
        for (params, extent) in [("(m: usize)", "m"), ("", "N")] {
            let axis = first_axis(params, extent, sides).unwrap();
            assert_eq!((axis.len(), axis.window(), axis.window_pieces()), (MAX_EXTENT, 12, 4));
            assert_eq!(axis.class(), Class::General);
        }
        assert_eq!(axes(&spec(&format!("struct R: [f64; N] {{ {sides} }}"))), None, "not all of it is known");
    }

    #[test]
    fn an_unknown_extent_hides_blocks_that_depend_on_it() {
        for side in ["block onto 3", "block(40) onto 3", "gen_block([5, 5]) onto 2", "cyclic(4) onto 3 of 100 at 3"] {
            assert_eq!(first_axis("(m: usize)", "m", &format!("from: cyclic(6) onto 2, to: {side}")), None, "{side}");
            assert_eq!(first_axis("(m: usize)", "m", &format!("from: {side}, to: cyclic(6) onto 2")), None, "{side}");
        }
    }

    #[test]
    fn unknown_blocks_grids_and_values_are_not_planned() {
        for side in
            ["cyclic(NB) onto 2", "cyclic(4) onto P", "cyclic(4) onto 2 first F", "gen_block([4, NB]) onto 2", "peer"]
        {
            assert_eq!(first_axis("", "10", &format!("from: {side}, to: *")), None, "{side}");
        }
    }

    #[test]
    fn messages_are_contiguous_where_the_source_is() {
        let of = |from: &str, to: &str| {
            let spec = spec(&format!("struct R: [f64; 9, 9] {{ from: (*, *) {from}, to: (*, *) {to} }}"));
            (fastest(&spec), fastest_back(&spec), fastest_on_both_sides(&spec))
        };
        assert_eq!(of("", ""), (Some(1), Some(1), true));
        assert_eq!(of("storage fortran", ""), (Some(0), Some(1), false));
        assert_eq!(of("storage fortran", "transposed"), (Some(0), Some(0), true));
        let peer = spec("struct R: [f64; 9] { from: peer, to: * }");
        assert_eq!((fastest(&peer), fastest_back(&peer), fastest_on_both_sides(&peer)), (None, Some(0), false));
    }
}
