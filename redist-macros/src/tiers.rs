//! When each dimension is planned, and what it owes to run time.

use crate::spec::{DistSpec, LayoutSpec, SideSpec, Size, Spec, Value, Which};
use proc_macro2::TokenStream;
use quote::ToTokens;

/// When one dimension is planned: when its blocks are known.
pub struct Tier {
    pub blocks: Value,
    /// What is given at run time, in words; empty if nothing.
    pub reason: String,
}

/// The tiers of all dimensions, in the source's axes.
pub fn tiers(spec: &Spec) -> Vec<Tier> {
    (0..spec.extents.len()).map(|dimension| tier(spec, dimension)).collect()
}

/// The first thing that anything at all is left to run time for, in words.
pub fn first_parameter(spec: &Spec) -> Option<(usize, String)> {
    let of_dimension = |dimension| late(spec, dimension).map(|reason| (dimension, reason));
    (0..spec.extents.len()).find_map(of_dimension)
}

fn tier(spec: &Spec, dimension: usize) -> Tier {
    let blocks = spec.sides().map(|(which, side)| block(spec, which, side, dimension));
    let known = blocks.iter().map(|(value, _)| *value).max().unwrap_or(Value::Constant);
    let because = blocks.into_iter().find(|(value, _)| *value == Value::Parameter).map(|(_, reason)| reason);
    let reason = because.or_else(|| {
        let late = late(spec, dimension)?;
        Some(format!("{late}, on which no table depends"))
    });
    Tier { blocks: known, reason: reason.unwrap_or_default() }
}

/// Who knows the block of one side, and why it is not known before.
fn block(spec: &Spec, which: Which, side: &SideSpec, dimension: usize) -> (Value, String) {
    let layout = match side {
        SideSpec::Layout(layout) => layout,
        SideSpec::Value(value, known) => return (*known, format!("`{}` is {}", word(which), given(value))),
    };
    let own = own_dimension(spec, which, dimension);
    let sizes: Vec<(&Size, &str)> = match &layout.dists[own] {
        DistSpec::Collapsed => Vec::new(),
        DistSpec::BlockOf(size) | DistSpec::Cyclic(size) => vec![(size, "the block of")],
        DistSpec::GenBlock(sizes) => sizes.iter().map(|size| (size, "a block of")).collect(),
        DistSpec::Block => {
            let extent = layout.of.as_ref().map_or(&spec.extents[dimension], |of| &of[own]);
            vec![(extent, "the extent of"), (&layout.grid[own], "the grid of")]
        }
    };
    let latest = sizes.into_iter().max_by_key(|(size, _)| size.value);
    latest.map_or((Value::Literal(0), String::new()), |(size, noun)| {
        (size.value, format!("{noun} `{}` is {}", word(which), given(&size.expr)))
    })
}

/// What of a dimension, apart from blocks, is given at run time.
fn late(spec: &Spec, dimension: usize) -> Option<String> {
    let blocks = spec.sides().map(|(which, side)| block(spec, which, side, dimension));
    let block = blocks.into_iter().find(|(value, _)| *value == Value::Parameter).map(|(_, reason)| reason);
    let extent = parameter(&spec.extents[dimension]).map(|expr| format!("the extent is {}", given(expr)));
    block
        .or(extent)
        .or_else(|| spec.sides().into_iter().find_map(|(which, side)| late_on(spec, which, side, dimension)))
}

fn late_on(spec: &Spec, which: Which, side: &SideSpec, dimension: usize) -> Option<String> {
    let layout = side.layout()?;
    let own = own_dimension(spec, which, dimension);
    let list = |sizes: &Option<Vec<Size>>, noun| sizes.as_ref().and_then(|sizes| of_size(&sizes[own], noun, which));
    of_size(&layout.grid[own], "the grid of", which)
        .or_else(|| of_size(&layout.first[own], "the first coordinate of", which))
        .or_else(|| of_size(&layout.base, "the first rank of", which))
        .or_else(|| list(&layout.of, "the stored extent of"))
        .or_else(|| list(&layout.at, "the section of"))
        .or_else(|| layout.end.as_ref().and_then(|end| of_size(end, "the end of the ranks of", which)))
}

fn of_size(size: &Size, noun: &str, which: Which) -> Option<String> {
    parameter(size).map(|expr| format!("{noun} `{}` is {}", word(which), given(expr)))
}

fn parameter(size: &Size) -> Option<&syn::Expr> {
    (size.value == Value::Parameter).then_some(&size.expr)
}

fn own_dimension(spec: &Spec, which: Which, dimension: usize) -> usize {
    match which {
        Which::Source => dimension,
        Which::Destination => spec.to.layout().map_or(dimension, |to: &LayoutSpec| to.axes[dimension]),
    }
}

fn word(which: Which) -> &'static str {
    match which {
        Which::Source => "from",
        Which::Destination => "to",
    }
}

/// `` the parameter `nb` ``, or `` `2 * nb` ``.
fn given(expr: &syn::Expr) -> String {
    let text = text(expr);
    if matches!(expr, syn::Expr::Path(_)) { format!("the parameter `{text}`") } else { format!("`{text}`") }
}

/// An expression about as the user wrote it.
pub fn text(tokens: impl ToTokens) -> String {
    let tokens: TokenStream = tokens.to_token_stream();
    crate::diagnostic::message::source_text(tokens)
}
