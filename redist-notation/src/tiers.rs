//! Tiers: the stage that plans each dimension, and the reason for run time.

pub use crate::diagnostic::message::source_text as text;

use crate::spec::{DistSpec, LayoutSpec, RanksSpec, SideSpec, Size, Spec, Value};
use redist_plan::plan::Side;

/// A dimension is planned by the stage that knows its blocks.
pub struct DimensionTier {
    pub blocks: Value,
    /// The values of run time, in words; empty if none.
    pub reason: String,
}

pub fn tiers(spec: &Spec) -> Vec<DimensionTier> {
    (0..spec.extents.len()).map(|dimension| tier(spec, dimension)).collect()
}

pub fn first_parameter(spec: &Spec) -> Option<(usize, String)> {
    let of_dimension = |dimension| late(spec, dimension).map(|reason| (dimension, reason));
    (0..spec.extents.len()).find_map(of_dimension)
}

fn tier(spec: &Spec, dimension: usize) -> DimensionTier {
    let values = spec.sides().map(|(which, side)| block(spec, which, side, dimension).0);
    let blocks = values.into_iter().max().unwrap_or(Value::Constant);
    let reason = late(spec, dimension).map(|late| match blocks {
        Value::Parameter => late,
        _ => format!("{late}, on which no table depends"),
    });
    DimensionTier { blocks, reason: reason.unwrap_or_default() }
}

/// Returns the stage that knows one side's block, and the reason against an earlier one.
fn block(spec: &Spec, which: Side, side: &SideSpec, dimension: usize) -> (Value, String) {
    let layout = match side {
        SideSpec::Layout(layout) => layout,
        SideSpec::Value(value, known) => {
            return (*known, format!("`{}` is {}", word(which), given(value)));
        }
    };
    let own = layout.axes[dimension];
    let sizes: Vec<(&Size, &str)> = match &layout.dists[own] {
        DistSpec::Collapsed => Vec::new(),
        DistSpec::BlockOf(size) | DistSpec::Cyclic(size) => vec![(size, "the block of")],
        DistSpec::GenBlock(sizes) => sizes.iter().map(|size| (size, "a block of")).collect(),
        DistSpec::Listed(_, sizes) => sizes.iter().map(|size| (size, "a part of")).collect(),
        DistSpec::Rows(_, sizes) => sizes.iter().map(|size| (size, "a row of")).collect(),
        DistSpec::Split(_, sizes) => sizes.iter().map(|size| (size, "a factor of")).collect(),
        DistSpec::Block | DistSpec::Balanced { .. } => {
            let extent = layout.of.as_ref().map_or(&spec.extents[dimension], |of| &of[own]);
            vec![(extent, "the extent of"), (&layout.grid[own], "the grid of")]
        }
    };
    let latest = sizes.into_iter().max_by_key(|(size, _)| size.value);
    latest.map_or((Value::Literal(0), String::new()), |(size, noun)| {
        (size.value, format!("{noun} `{}` is {}", word(which), given(&size.expr)))
    })
}

/// Returns the first of a dimension's values of run time, blocks before all others.
fn late(spec: &Spec, dimension: usize) -> Option<String> {
    let mut blocks =
        spec.sides().into_iter().map(|(which, side)| block(spec, which, side, dimension));
    let block = blocks.find(|(value, _)| *value == Value::Parameter).map(|(_, reason)| reason);
    let extent =
        || parameter(&spec.extents[dimension]).map(|expr| format!("the extent is {}", given(expr)));
    block.or_else(extent).or_else(|| {
        spec.sides().into_iter().find_map(|(which, side)| late_on(which, side.layout()?, dimension))
    })
}

fn late_on(which: Side, layout: &LayoutSpec, dimension: usize) -> Option<String> {
    let own = layout.axes[dimension];
    let ranks: Vec<(&Size, &str)> = match &layout.ranks {
        RanksSpec::Range { first, .. } => vec![(first, "the first rank of")],
        RanksSpec::Map(list) => list.iter().map(|rank| (rank, "a rank of")).collect(),
    };
    let stored = layout.of.iter().map(|of| (&of[own], "the stored extent of"));
    let at = layout.at.iter().map(|at| (&at[own], "the section of"));
    let end = layout.ranks.end().map(|end| (end, "the end of the ranks of"));
    let mut sizes =
        [(&layout.grid[own], "the grid of"), (&layout.first[own], "the first coordinate of")]
            .into_iter()
            .chain(ranks)
            .chain(stored)
            .chain(at)
            .chain(end);
    let (size, noun) = sizes.find(|(size, _)| size.value == Value::Parameter)?;
    Some(format!("{noun} `{}` is {}", word(which), given(&size.expr)))
}

fn parameter(size: &Size) -> Option<&syn::Expr> {
    (size.value == Value::Parameter).then_some(&size.expr)
}

fn word(which: Side) -> &'static str {
    match which {
        Side::Source => "from",
        Side::Destination => "to",
    }
}

fn given(expr: &syn::Expr) -> String {
    let text = text(expr);
    if matches!(expr, syn::Expr::Path(_)) {
        format!("the parameter `{text}`")
    } else {
        format!("`{text}`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::spec;

    #[test]
    fn dimensions_are_the_source_s() {
        let text = "struct R(nb: usize, m: usize): [f64; m, 10] {
            from: (cyclic(4), *) onto 2, to: (cyclic(nb), cyclic(3)) onto (2, 2) transposed
        }";
        let found = tiers(&spec(text));
        assert!(matches!(found[0].blocks, Value::Literal(_)));
        assert!(found[0].reason.starts_with("the extent is the parameter `m`"));
        assert_eq!(found[1].blocks, Value::Parameter);
        assert_eq!(found[1].reason, "the block of `to` is the parameter `nb`");
    }
}
