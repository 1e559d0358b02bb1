//! Classes and window tables as data.

use super::layout::number;
use super::text::tokens;
use core::fmt::Write;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use redist_notation::spec::Spec;
use redist_plan::plan::{Axis, Class, Piece, Side};

/// Largest table, in pieces, that the expansion writes out. Longer ones are left to rustc's const
/// evaluator, which compiles faster and gives the same data.
const MAX_LITERAL_PIECES: usize = 256;

/// Largest window of a closed form, in pieces, that is listed. The planner needs no table of it.
const MAX_LISTED_PIECES: usize = 32;

/// For each dimension its class, which [`plan`] checks, and its window's pieces.
pub fn dimensions(spec: &Spec, axes: &[Axis]) -> TokenStream {
    axes.iter().enumerate().map(|(number, axis)| dimension(spec, number, axis)).collect()
}

fn dimension(spec: &Spec, dimension: usize, axis: &Axis) -> TokenStream {
    let (class, value) = (class(dimension), written(axis.class()));
    let docs = format!(" Dimension {dimension}: {axis}.");
    let table = wanted(spec, axis) || is_listed(axis);
    let table = table.then(|| self::table(spec, dimension, axis));
    quote! {
        #[doc = #docs]
        const #class: __redist::Class = #value;
        #table
    }
}

fn class(dimension: usize) -> Ident {
    format_ident!("__CLASS_{dimension}")
}

/// The plan, as a constant that `cargo check` does not evaluate: the macro has made it. It is
/// compared with the item's text.
pub fn plan(spec: &Spec, axes: &[Axis]) -> TokenStream {
    let (rank, classes) = (number(axes.len()), (0..axes.len()).map(class));
    let listed = axes.iter().enumerate().map(|(dimension, axis)| {
        let name = window(dimension);
        let only_listed = !wanted(spec, axis) && is_listed(axis);
        if only_listed { quote!(&#name) } else { quote!(&[]) }
    });
    quote!(const { __redist::checked::<Self, #rank>(__plan(), [#(#classes),*], [#(#listed),*]) })
}

/// Returns `true` for a window of a closed form that is short enough to be listed, for readers.
fn is_listed(axis: &Axis) -> bool {
    let whole = [Side::Source, Side::Destination].iter().all(|side| axis.side(*side).at() == 0);
    let has_form = matches!(axis.class(), Class::KrToR { .. } | Class::RToKr { .. });
    whole
        && has_form
        && axis.regular_blocks().is_some()
        && axis.window_pieces() <= MAX_LISTED_PIECES
}

fn written(class: Class) -> TokenStream {
    match class {
        Class::Identity => quote!(__redist::Class::Identity),
        Class::KrToR { k, r } => {
            let (k, r) = (number(k), number(r));
            quote!(__redist::Class::KrToR { k: #k, r: #r })
        }
        Class::RToKr { k, r } => {
            let (k, r) = (number(k), number(r));
            quote!(__redist::Class::RToKr { k: #k, r: #r })
        }
        Class::General => quote!(__redist::Class::General),
    }
}

/// The tables, each proved in a constant that `cargo check` does not evaluate, like the plan's.
pub fn references(spec: &Spec, axes: &[Axis]) -> Option<TokenStream> {
    let tables = list(axes.iter().enumerate().map(|(dimension, axis)| {
        let (name, index) = (window(dimension), number(dimension));
        let table = match is_literal(axis) {
            true => quote!(__redist::WindowTable::of(&__plan().axis(#index), &#name)),
            false => quote!(#name.table()),
        };
        wanted(spec, axis).then_some(table)
    }))?;
    Some(quote!(const { #tables }))
}

pub fn window(dimension: usize) -> Ident {
    format_ident!("__WINDOW_{dimension}")
}

fn is_literal(axis: &Axis) -> bool {
    axis.window_pieces() <= MAX_LITERAL_PIECES
}

/// Returns the list of tables by dimension, if there are any.
pub fn list(tables: impl Iterator<Item = Option<TokenStream>>) -> Option<TokenStream> {
    let tables: Vec<_> = tables.collect();
    let written = tables
        .iter()
        .map(|table| table.clone().unwrap_or_else(|| quote!(__redist::WindowTable::NONE)));
    tables.iter().any(Option::is_some).then(|| quote!([#(#written),*]))
}

pub fn wanted(spec: &Spec, axis: &Axis) -> bool {
    axis.table_len(spec.tables) > 0
}

fn table(spec: &Spec, dimension: usize, axis: &Axis) -> TokenStream {
    let krate = &spec.krate;
    let (name, count) = (window(dimension), axis.window_pieces());
    let docs = " Window table: the pieces of a window, for all ranks at once (ASPEN's walk finds one rank's), as [block, place in it, block and place there, elements].";
    let len = Literal::usize_unsuffixed(count);
    let dimension = Literal::usize_unsuffixed(dimension);
    if !is_literal(axis) {
        return quote! {
            #[doc = #docs]
            static #name: __redist::WindowPieces<#len> = __redist::WindowPieces::of(__plan().axis(#dimension));
        };
    }
    let (keyword, value) =
        (if wanted(spec, axis) { quote!(static) } else { quote!(const) }, literal(axis));
    quote!(#[doc = #docs] #keyword #name: [#krate::Piece; #len] = #value;)
}

/// The pieces, parsed from a text, as the statements of steps are.
fn literal(axis: &Axis) -> TokenStream {
    let mut text = String::from("__redist::window([");
    for piece in axis.window_walk() {
        let Piece { source_block, source_offset, destination_block, destination_offset, len } =
            piece;
        let _ = write!(
            text,
            "[{source_block},{source_offset},{destination_block},{destination_offset},{len}],"
        );
    }
    text.push_str("])");
    tokens(&text)
}
