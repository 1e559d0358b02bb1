//! Plans that the macro makes itself, from the numbers that it knows.

use crate::spec::{
    DistSpec, FactorKind, FactorSpec, FactorWord, LayoutSpec, RanksSpec, RowsKind, Size, Spec,
};
use redist_plan::layout::{
    BlockCyclic, Dist, Factor, FactorDist, Layout, MAX_EXTENT, Ranks, StorageOrder,
};
use redist_plan::plan::{Axis, Plan, Section};

/// Returns the dimensions, in the source's axes, if the macro knows all their numbers.
pub fn axes(spec: &Spec) -> Option<Vec<Axis>> {
    spec.literal_layouts()?;
    (0..spec.extents.len()).map(|dimension| axis(spec, dimension)).collect()
}

/// Returns a side's distribution in blocks of given sizes, or of factors, which do not repeat.
pub fn given_blocks(spec: &Spec, dimension: usize) -> Option<&DistSpec> {
    let repeats = || axis(spec, dimension).is_some_and(|axis| axis.regular_blocks().is_some());
    let mut dists = spec.layouts().map(|layout| &layout.dists[layout.axes[dimension]]);
    dists.find(|dist| match dist {
        DistSpec::GenBlock(_) | DistSpec::Listed(..) | DistSpec::Rows(..) => true,
        DistSpec::Split(..) => !repeats(),
        _ => false,
    })
}

/// Returns one dimension with known blocks and grids; its extent may be any.
pub fn axis(spec: &Spec, dimension: usize) -> Option<Axis> {
    let (from, to) = spec.from.layout().zip(spec.to.layout())?;
    let (extent, across) = (spec.extents[dimension].literal(), to.axes[dimension]);
    let (source, destination) = (section(from, dimension, extent)?, section(to, across, extent)?);
    let collapsed = |layout: &LayoutSpec, dimension: usize| {
        matches!(layout.dists[dimension], DistSpec::Collapsed)
    };
    let len = extent.unwrap_or(MAX_EXTENT);
    Some(Axis::new(len, source, destination, (collapsed(from, dimension), collapsed(to, across))))
}

fn section(layout: &LayoutSpec, dimension: usize, extent: Option<usize>) -> Option<Section> {
    let entry = |sizes: &Option<Vec<Size>>, default| {
        sizes.as_ref().map_or(Some(default), |sizes| sizes[dimension].literal())
    };
    let (dist, len) = (dist(&layout.dists[dimension])?, extent.unwrap_or(MAX_EXTENT));
    if extent.is_none()
        && (matches!(
            dist,
            Dist::Block
                | Dist::BlockOf(_)
                | Dist::Balanced { .. }
                | Dist::GenBlock(_)
                | Dist::Blocks { .. }
                | Dist::Rows { .. }
                | Dist::Points(_)
                | Dist::Split(_)
        ) || layout.of.is_some())
    {
        return None;
    }
    let (stored, at) = (entry(&layout.of, len)?, entry(&layout.at, 0)?);
    let (ranks, first) = (layout.grid[dimension].literal()?, layout.first[dimension].literal()?);
    let deal: BlockCyclic = dist.deal(stored, ranks, first).ok()?;
    (at <= stored && len <= stored - at).then(|| Section::new(deal, at))
}

pub fn dist(dist: &DistSpec) -> Option<Dist> {
    Some(match dist {
        DistSpec::Split(kinds, sizes) => {
            let factors = FactorKind::factors(kinds, sizes);
            Dist::split(&factors.iter().map(factor).collect::<Option<Vec<_>>>()?)
        }
        DistSpec::Collapsed => Dist::Collapsed,
        DistSpec::Block => Dist::Block,
        DistSpec::Balanced { last } => Dist::Balanced { last: *last },
        DistSpec::BlockOf(block) => Dist::BlockOf(block.literal()?),
        DistSpec::Cyclic(block) => Dist::Cyclic(block.literal()?),
        DistSpec::GenBlock(sizes) => Dist::gen_block(&Size::literals(sizes)?),
        DistSpec::Listed(cuts, sizes) => {
            let sizes = Size::literals(sizes)?;
            Dist::blocks(&sizes[..*cuts], &sizes[*cuts..])
        }
        DistSpec::Rows(kind, sizes) => {
            let sizes = Size::literals(sizes)?;
            let (lengths, turn, points) = kind.split(&sizes);
            match kind {
                RowsKind::Points => Dist::points(lengths),
                RowsKind::Rows { .. } => {
                    Dist::rows(lengths, turn.copied(), points.copied().unwrap_or(1))
                }
            }
        }
    })
}

fn factor(factor: &FactorSpec<'_>) -> Option<Factor> {
    let block = factor.block.map(Size::literal);
    let dist = match factor.word {
        FactorWord::Collapsed => FactorDist::Collapsed,
        FactorWord::Block => FactorDist::Block,
        FactorWord::Balanced { last } => FactorDist::Balanced { last },
        FactorWord::BlockOf => FactorDist::BlockOf(block??),
        FactorWord::Cyclic => FactorDist::Cyclic(block??),
    };
    let ranks = match factor.ranks {
        Some(ranks) => Some(ranks.literal()?),
        None => None,
    };
    Some(Factor { extent: factor.extent.literal()?, dist, ranks })
}

fn ranks(ranks: &RanksSpec) -> Option<Ranks> {
    Some(match ranks {
        RanksSpec::Range { first, .. } => Ranks::From(first.literal()?),
        RanksSpec::Map(list) => Ranks::map(&Size::literals(list)?),
    })
}

/// Returns the plan of an item of literals, with dimensions of one element at the end.
pub fn plan<const D: usize>(spec: &Spec) -> Option<Plan<D>> {
    let (from, to) = spec.literal_layouts()?;
    Plan::new(sizes(&spec.extents, 1)?, layout(from)?, layout(to)?).ok()
}

/// Most dimensions of an array.
const MAX_DIMENSIONS: usize = 8;

/// A plan of one type for any item: its code is compiled once.
pub type PaddedPlan = Plan<MAX_DIMENSIONS>;

/// Returns the [`plan`], unless there are too many dimensions.
pub fn padded_plan(spec: &Spec) -> Option<PaddedPlan> {
    plan(spec)
}

/// Returns a layout of literals, with dimensions of one element at the end.
pub fn layout<const D: usize>(spec: &LayoutSpec) -> Option<Layout<D>> {
    let dists = spec.dists.iter().map(dist).collect::<Option<Vec<_>>>()?;
    let layout = Layout::new(padded(dists, |_| Dist::Collapsed)?, sizes(&spec.grid, 1)?)
        .first(sizes(&spec.first, 0)?)
        .ranks(ranks(&spec.ranks)?)
        .order(spec.order)
        .storage(spec.storage)
        .axes(padded(spec.axes.clone(), |axis| axis)?);
    let Some(of) = &spec.of else { return Some(layout) };
    let at = spec.at.as_ref().map_or(Some([0; D]), |at| sizes(at, 0))?;
    Some(layout.of(sizes(of, 1)?).at(at))
}

pub fn sizes<const D: usize>(sizes: &[Size], default: usize) -> Option<[usize; D]> {
    padded(Size::literals(sizes)?, |_| default)
}

fn padded<T: Copy, const D: usize>(values: Vec<T>, default: impl Fn(usize) -> T) -> Option<[T; D]> {
    let known = values.len() <= D;
    known.then(|| {
        core::array::from_fn(|dimension| {
            values.get(dimension).copied().unwrap_or_else(|| default(dimension))
        })
    })
}

/// Returns the source's axis along which messages are contiguous, if it is known.
pub fn fastest(spec: &Spec) -> Option<usize> {
    let dimensions = spec.extents.len();
    let from = spec.from.layout().filter(|_| dimensions > 0);
    from.map(|from| contiguous(from.storage, dimensions))
}

/// Returns the [`fastest`] dimension of the inverse.
pub fn fastest_back(spec: &Spec) -> Option<usize> {
    let dimensions = spec.extents.len();
    let to = spec.to.layout().filter(|_| dimensions > 0);
    to.map(|to| to.source_axis(contiguous(to.storage, dimensions)))
}

/// Returns `true` if both sides store the messages' fastest dimension contiguously.
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
    use redist_plan::plan::Class;

    fn first_axis(params: &str, extents: &str, sides: &str) -> Option<Axis> {
        axis(&spec(&format!("struct R{params}: [f64; {extents}] {{ {sides} }}")), 0)
    }

    #[test]
    fn dimensions_of_one_element_change_nothing_else() {
        let sides = [
            "(cyclic(4), gen_block([3, 7])) onto (2, 2) order col of (90, 10)",
            "(block(50), *) onto 2 ranks 1..3 of (30, 95) at (1, 2) storage fortran transposed",
        ];
        let item =
            spec(&format!("struct R: [f64; 90, 10] {{ from: {}, to: {} }}", sides[0], sides[1]));
        let (exact, padded) = (plan::<2>(&item).unwrap(), plan::<4>(&item).unwrap());
        let parsed = Plan::parse([90, 10], sides[0], sides[1]).unwrap();
        assert_eq!((exact, axes(&item)), (parsed, Some(vec![parsed.axis(0), parsed.axis(1)])));
        assert_eq!((padded.extents(), plan::<1>(&item)), ([90, 10, 1, 1], None));
        for (source, destination) in
            (0..5).flat_map(|source| (0..5).map(move |destination| (source, destination)))
        {
            assert_eq!(padded.volume(source, destination), exact.volume(source, destination));
        }
    }

    #[test]
    fn an_unknown_extent_does_not_hide_blocks() {
        let sides = "from: cyclic(6) onto 2, to: cyclic(4) onto 3";
        for (params, extent) in [("(m: usize)", "m"), ("", "N")] {
            let axis = first_axis(params, extent, sides).unwrap();
            assert_eq!((axis.len(), axis.window(), axis.window_pieces()), (MAX_EXTENT, 12, 4));
            assert_eq!(axis.class(), Class::General);
        }
        assert_eq!(
            axes(&spec(&format!("struct R: [f64; N] {{ {sides} }}"))),
            None,
            "not all of it is known"
        );
    }

    #[test]
    fn what_the_macro_does_not_know_is_not_planned() {
        for (params, extents, side) in [
            ("(m: usize)", "m", "block onto 3"),
            ("(m: usize)", "m", "block(40) onto 3"),
            ("(m: usize)", "m", "gen_block([5, 5]) onto 2"),
            ("(m: usize)", "m", "cyclic(4) onto 3 of 100 at 3"),
            ("", "10", "cyclic(NB) onto 2"),
            ("", "10", "cyclic(4) onto P"),
            ("", "10", "cyclic(4) onto 2 first F"),
            ("", "10", "gen_block([4, NB]) onto 2"),
            ("", "10", "peer"),
        ] {
            let known = "cyclic(6) onto 2";
            for sides in [[known, side], [side, known]] {
                let sides = format!("from: {}, to: {}", sides[0], sides[1]);
                assert_eq!(first_axis(params, extents, &sides), None, "{sides}");
            }
        }
    }

    #[test]
    fn messages_are_contiguous_where_the_source_is() {
        let of = |from: &str, to: &str| {
            let spec =
                spec(&format!("struct R: [f64; 9, 9] {{ from: (*, *) {from}, to: (*, *) {to} }}"));
            (fastest(&spec), fastest_back(&spec), fastest_on_both_sides(&spec))
        };
        assert_eq!(of("", ""), (Some(1), Some(1), true));
        assert_eq!(of("storage fortran", ""), (Some(0), Some(1), false));
        assert_eq!(of("storage fortran", "transposed"), (Some(0), Some(0), true));
        let peer = spec("struct R: [f64; 9] { from: peer, to: * }");
        assert_eq!(
            (fastest(&peer), fastest_back(&peer), fastest_on_both_sides(&peer)),
            (None, Some(0), false)
        );
    }
}
