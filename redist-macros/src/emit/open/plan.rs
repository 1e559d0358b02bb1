//! Plans in constants. Each rule is checked at the expressions that it is about, so that the
//! compiler says where it is broken and not only that.

use super::expressions::Expressions;
use super::planner::{Planner, axis, value};
use super::table;
use crate::emit::layout::{list, number};
use crate::emit::place::Place;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use redist_notation::spec::{DistSpec, LayoutSpec, RanksSpec, SideSpec, Size, Spec};
use redist_plan::plan::Side;

pub fn constant(spec: &Spec, expressions: &Expressions<'_>) -> TokenStream {
    let (krate, rank) = (&spec.krate, number(spec.extents.len()));
    let extents = extents(spec, expressions);
    let [from, to] = spec
        .sides()
        .map(|(which, side)| checked(spec, expressions, (which, side), &quote!(__EXTENTS)));
    let plan = value(spec, Planner::Constant);
    let demands = table::demands(spec, |dimension| Some(axis(&plan, dimension)));
    // At the item's name, as everything that uses constants which may be wrong.
    let constants = Place::at(spec.ident.span()).name(quote!(__EXTENTS, __FROM, __TO));
    quote! {
        const __EXTENTS: [::core::primitive::usize; #rank] = #extents;
        const __FROM: #krate::Layout<#rank> = #from;
        const __TO: #krate::Layout<#rank> = #to;
        const __PLAN: #krate::Plan<#rank> = #krate::Plan::constant(#constants);
        #(const _: () = #demands;)*
    }
}

pub fn generic(spec: &Spec, expressions: &Expressions<'_>) -> TokenStream {
    let Spec { krate, ident, tables, .. } = spec;
    let (generics, arguments, bounds) = spec.generics.split_for_impl();
    let (rank, tables, extents) =
        (number(spec.extents.len()), number(*tables), extents(spec, expressions));
    let [from, to] = spec
        .sides()
        .map(|(which, side)| checked(spec, expressions, (which, side), &quote!(__extents)));
    let of_plan = |dimension| Some(axis(&quote!(__plan), dimension));
    let mut demands = table::demands(spec, of_plan);
    demands.extend(table::generic_demands(spec, of_plan));
    quote! {
        impl #generics __redist::Constants<#rank> for #ident #arguments #bounds {
            const PLAN: #krate::Plan<#rank> = {
                let __extents = #extents;
                let __from = #from;
                let __to = #to;
                let __plan = #krate::Plan::constant(__extents, __from, __to);
                #(#demands;)*
                __plan
            };
            const TABLES: ::core::primitive::usize = #tables;
        }
    }
}

pub fn extents(spec: &Spec, expressions: &Expressions<'_>) -> TokenStream {
    list(&spec.extents, &mut |size| expressions.size(size))
}

pub fn end(side: &SideSpec, expressions: &Expressions<'_>) -> TokenStream {
    match side.layout().and_then(|layout| layout.ranks.end()) {
        Some(end) => {
            let end = expressions.size(end);
            quote!(::core::option::Option::Some(#end))
        }
        None => quote!(::core::option::Option::None),
    }
}

fn checked(
    spec: &Spec,
    expressions: &Expressions<'_>,
    (which, side): (Side, &SideSpec),
    extents: &TokenStream,
) -> TokenStream {
    let (krate, layout) = (&spec.krate, expressions.side(which));
    let literal_extents = spec.extents.iter().all(|extent| extent.literal().is_some());
    if literal_extents && side.layout().is_some_and(LayoutSpec::is_literal) {
        // The macro has checked it.
        return layout.clone();
    }
    let (side_name, end) = (format_ident!("{which:?}"), end(side, expressions));
    let reports = reports(spec, which, side).into_iter().map(|(place, role, dimension)| {
        let (role, dimension) = (format_ident!("{role}"), number(dimension));
        let arguments = quote!(__fault, __redist::Role::#role, #dimension);
        place.call(quote!(__redist::report), arguments)
    });
    quote!({
        let __layout = #layout;
        let __fault = __redist::fault(#krate::Side::#side_name, #extents, __layout, #end);
        #(#reports;)*
        __layout
    })
}

/// The places for a side's faults, with the roles of what stands there; the last takes all.
fn reports(spec: &Spec, which: Side, side: &SideSpec) -> Vec<(Place, &'static str, usize)> {
    let layout = match side {
        SideSpec::Value(value, _) => {
            return Place::of(value).map(|place| (place, "Layout", 0)).into_iter().collect();
        }
        SideSpec::Layout(layout) => layout,
    };
    let mut reports = Vec::new();
    // The macro has checked what depends on literals only.
    let mut add = |sizes: &[&Size], others: &[&Size], role, dimension| {
        if sizes.iter().chain(others).any(|size| size.literal().is_none()) {
            reports.extend(
                Place::of_sizes(sizes.iter().copied()).map(|place| (place, role, dimension)),
            );
        }
    };
    for (dimension, dist) in layout.dists.iter().enumerate() {
        let (grid, moved) = (&layout.grid[dimension], &spec.extents[layout.source_axis(dimension)]);
        let stored = layout.of.as_ref().map_or(moved, |of| &of[dimension]);
        if let DistSpec::BlockOf(_)
        | DistSpec::GenBlock(_)
        | DistSpec::Listed(..)
        | DistSpec::Rows(..)
        | DistSpec::Split(..) = dist
        {
            add(&dist.sizes().iter().collect::<Vec<_>>(), &[grid, stored], "Block", dimension);
        }
        add(&[&layout.first[dimension]], &[grid], "First", dimension);
        if let Some(section) = layout.at.as_ref().or(layout.of.as_ref()) {
            add(&[&section[dimension]], &[moved, stored], "At", dimension);
        }
    }
    let grid: Vec<&Size> = layout.grid.iter().collect();
    add(&grid, &[], "Grid", 0);
    match &layout.ranks {
        RanksSpec::Range { .. } => add(&layout.ranks.sizes(), &grid, "Ranks", 0),
        // Each number may be repeated.
        RanksSpec::Map(map) => {
            let others: Vec<&Size> = map.iter().collect();
            for (place, rank) in map.iter().enumerate() {
                add(&[rank], &others, "Ranks", place);
            }
        }
    }
    match (&layout.of, which) {
        (Some(of), _) => add(&of.iter().collect::<Vec<_>>(), &[], "Extent", 0),
        (None, Side::Source) => add(&spec.extents.iter().collect::<Vec<_>>(), &[], "Extent", 0),
        (None, Side::Destination) => {}
    }
    reports.push((Place::at(layout.span), "Layout", 0));
    reports
}
