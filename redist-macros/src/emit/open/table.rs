//! Window tables of blocks that the compiler knows.

use super::Planner;
use super::expressions::Expressions;
use crate::ast::Require;
use crate::emit::layout::number;
use crate::spec::{DistSpec, LayoutSpec, Spec};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// A `static` for each dimension that has a table of its own.
pub fn statics(spec: &Spec, planner: Planner, expressions: &Expressions<'_>) -> TokenStream {
    let krate = &spec.krate;
    let tables = (0..spec.extents.len())
        .filter_map(|dimension| axis(spec, planner, expressions, dimension).map(|axis| (dimension, axis)));
    tables
        .map(|(dimension, axis)| {
            let (name, most) = (name(dimension), number(spec.tables));
            quote!(static #name: [#krate::Piece; #axis.table_len(#most)] = #axis.window_table();)
        })
        .collect()
}

/// The tables by dimension, as the `windows` method returns them.
pub fn references(spec: &Spec, planner: Planner, expressions: &Expressions<'_>) -> TokenStream {
    let krate = &spec.krate;
    let rank = number(spec.extents.len());
    let windows = (0..spec.extents.len()).map(|dimension| {
        let (name, index) = (name(dimension), number(dimension));
        match planner {
            Planner::Generic => quote!(#krate::exec::generated::Table::<Self, #rank, #index>::PIECES),
            _ if axis(spec, planner, expressions, dimension).is_some() => quote!(&#name),
            _ => quote!(&[]),
        }
    });
    quote!([#(#windows),*])
}

/// What the item demands of its plan, which is `plan`: checks that panic.
pub fn demands(spec: &Spec, plan: &TokenStream) -> Vec<TokenStream> {
    let krate = &spec.krate;
    let mut demands = Vec::new();
    for dimension in 0..spec.extents.len() {
        let (index, most) = (number(dimension), number(spec.tables));
        let clause = match (spec.require, spec.tables == crate::spec::DEFAULT_TABLES) {
            (Some(Require::Tables), _) => "`require: tables`",
            (Some(Require::Static), _) => "`require: static`",
            (None, false) => "`tables`",
            (None, true) => continue,
        };
        demands.push(quote!(#krate::exec::generated::check_tables(#plan.axis(#index), #index, #clause, #most)));
    }
    if let (Some(budget), Some(fastest)) = (spec.unroll, crate::planned::fastest(spec)) {
        let (index, budget) = (number(fastest), number(budget));
        demands.push(quote!(#krate::exec::generated::check_unroll(#plan.axis(#index), #index, #budget)));
    }
    demands
}

fn name(dimension: usize) -> Ident {
    format_ident!("WINDOW_{dimension}")
}

/// The dimension as a constant expression, where its table can be one.
fn axis(spec: &Spec, planner: Planner, expressions: &Expressions<'_>, dimension: usize) -> Option<TokenStream> {
    let krate = &spec.krate;
    match planner {
        Planner::Generic => None,
        Planner::Constant => {
            let dimension = number(dimension);
            Some(quote!(PLAN.axis(#dimension)))
        }
        Planner::New => {
            let (source, destination) = blocks(spec, expressions, dimension)?;
            Some(quote!(#krate::Axis::of_blocks(#source, #destination)))
        }
    }
}

/// Both blocks of a dimension that is dealt cyclically and whole on both sides, in constants.
pub fn blocks(spec: &Spec, expressions: &Expressions<'_>, dimension: usize) -> Option<(TokenStream, TokenStream)> {
    let block = |layout: &LayoutSpec, dimension: usize| match &layout.dists[dimension] {
        DistSpec::Cyclic(size) if layout.of.is_none() => expressions.constant(size),
        _ => None,
    };
    let (from, to) = spec.from.layout().zip(spec.to.layout())?;
    Some((block(from, dimension)?, block(to, to.axes[dimension])?))
}
