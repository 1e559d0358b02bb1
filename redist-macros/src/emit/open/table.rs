//! WindowPieces tables of blocks that the compiler knows.

use super::expressions::Expressions;
use super::planner::{self, Planner};
use crate::emit::layout::{distribution, number};
use crate::emit::place::Place;
use crate::emit::table::window;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use redist_notation::planned;
use redist_notation::spec::{DistSpec, LayoutSpec, Require, Spec};

pub fn statics(spec: &Spec, planner: Planner, expressions: &Expressions<'_>) -> TokenStream {
    let tables = (0..spec.extents.len()).filter_map(|dimension| {
        axis(spec, planner, expressions, dimension).map(|axis| (dimension, axis))
    });
    tables
        .map(|(dimension, axis)| {
            let (name, most) = (window(dimension), number(spec.tables));
            let len = len_name(spec, dimension);
            quote! {
                const #len: ::core::primitive::usize = #axis.table_len(#most);
                static #name: __redist::WindowPieces<#len> = __redist::WindowPieces::of(#axis);
            }
        })
        .collect()
}

pub fn references(
    spec: &Spec,
    planner: Planner,
    expressions: &Expressions<'_>,
) -> Option<TokenStream> {
    let rank = number(spec.extents.len());
    let windows = (0..spec.extents.len()).map(|dimension| {
        let (name, index) = (window(dimension), number(dimension));
        match planner {
            Planner::Generic => Some(quote!(__redist::Table::<Self, #rank, #index>::TABLE)),
            _ => axis(spec, planner, expressions, dimension).map(|_| quote!(#name.table())),
        }
    });
    crate::emit::table::list(windows)
}

pub fn demanded(spec: &Spec, expressions: &Expressions<'_>) -> TokenStream {
    let demands = demands(spec, |dimension| axis(spec, Planner::New, expressions, dimension));
    quote!(#(const _: () = #demands;)*)
}

/// Demands on the dimensions: checks that panic, each at the word or the number of its demand. If
/// the compiler knows a dimension, `axis` writes it.
pub fn demands(spec: &Spec, axis: impl Fn(usize) -> Option<TokenStream>) -> Vec<TokenStream> {
    let [unroll, tables] = &spec.limits;
    let (required, clause) = (spec.required_tables(), clause(spec));
    let at = tables
        .as_ref()
        .map(Place::of)
        .or(required.map(|required| Place::of(&required.tokens)))
        .flatten();
    let mut demands = Vec::new();
    for dimension in 0..spec.extents.len() {
        let (index, most) = (number(dimension), number(spec.tables));
        if let (Some(at), Some(axis)) = (&at, axis(dimension)) {
            demands.push(
                at.call(quote!(__redist::check_tables), quote!(#axis, #index, #clause, #most)),
            );
        }
    }
    if let (Some(budget), Some(at)) = (spec.unroll, unroll.as_ref().and_then(Place::of))
        && let Some(fastest) = planned::fastest(spec)
        && let Some(axis) = axis(fastest)
    {
        let (index, budget) = (number(fastest), number(budget));
        demands.push(at.call(quote!(__redist::check_unroll), quote!(#axis, #index, #budget)));
    }
    demands
}

pub fn generic_demands(
    spec: &Spec,
    axis: impl Fn(usize) -> Option<TokenStream>,
) -> Vec<TokenStream> {
    let Some(at) = spec.required_tables().and_then(|required| Place::of(&required.tokens)) else {
        return Vec::new();
    };
    let axes = (0..spec.extents.len())
        .filter_map(|dimension| axis(dimension).map(|axis| (number(dimension), axis)));
    let clause = clause(spec);
    axes.map(|(index, axis)| {
        at.call(quote!(__redist::check_generic_tables), quote!(#axis, #index, #clause))
    })
    .collect()
}

fn clause(spec: &Spec) -> &'static str {
    match spec.required_tables().map(|required| required.kind) {
        Some(Require::Static) => "`require: static`",
        Some(_) => "`require: tables`",
        None => "`tables`",
    }
}

/// The constant with the length of a table. If the plan is wrong, so is this: see `Expressions`.
fn len_name(spec: &Spec, dimension: usize) -> TokenStream {
    Place::at(spec.ident.span()).name(format_ident!("__WINDOW_{dimension}_LEN"))
}

fn axis(
    spec: &Spec,
    planner: Planner,
    expressions: &Expressions<'_>,
    dimension: usize,
) -> Option<TokenStream> {
    let krate = &spec.krate;
    match planner {
        Planner::Generic => None,
        Planner::Constant => Some(planner::axis(&planner::value(spec, planner), dimension)),
        Planner::New => match blocks(spec, expressions, dimension) {
            Some((source, destination)) => {
                Some(quote!(#krate::Axis::of_blocks(#source, #destination)))
            }
            None => known(spec, expressions, dimension),
        },
    }
}

/// A dimension whose blocks follow from its extent and grids, all of them constants.
fn known(spec: &Spec, expressions: &Expressions<'_>, dimension: usize) -> Option<TokenStream> {
    let side = |layout: &LayoutSpec, dimension: usize| {
        let whole = layout.of.is_none() && !matches!(layout.dists[dimension], DistSpec::Collapsed);
        let constant =
            layout.dists[dimension].sizes().iter().all(|size| expressions.constant(size).is_some());
        let grid = expressions.constant(&layout.grid[dimension]).filter(|_| whole && constant)?;
        let dist =
            distribution(&spec.krate, &layout.dists[dimension], &mut |size| expressions.size(size));
        Some(quote!((#dist, #grid)))
    };
    let (from, to) = spec.from.layout().zip(spec.to.layout())?;
    let (source, destination) = (side(from, dimension)?, side(to, to.axes[dimension])?);
    let extent = expressions.constant(&spec.extents[dimension])?;
    Some(quote!(__redist::dimension(#extent, #source, #destination)))
}

fn blocks(
    spec: &Spec,
    expressions: &Expressions<'_>,
    dimension: usize,
) -> Option<(TokenStream, TokenStream)> {
    let block = |layout: &LayoutSpec, dimension: usize| match &layout.dists[dimension] {
        DistSpec::Cyclic(size) if layout.of.is_none() => expressions.constant(size),
        _ => None,
    };
    let (from, to) = spec.from.layout().zip(spec.to.layout())?;
    Some((block(from, dimension)?, block(to, to.axes[dimension])?))
}

pub fn constant_blocks(
    spec: &Spec,
    planner: Planner,
    expressions: &Expressions<'_>,
    dimension: usize,
) -> Option<TokenStream> {
    if planner != Planner::New {
        let axis = planner::axis(&planner::value(spec, planner), dimension);
        return Some(quote!(__redist::blocks(#axis)));
    }
    let (from, to) = spec.from.layout().zip(spec.to.layout())?;
    let (source, destination) = blocks(spec, expressions, dimension)?;
    let p = expressions.constant(&from.grid[dimension])?;
    let q = expressions.constant(&to.grid[to.axes[dimension]])?;
    let blocks = quote!(__redist::BlocksAndRanks::new((#source, #p), (#destination, #q)));
    Some(quote!(::core::option::Option::Some(#blocks)))
}
