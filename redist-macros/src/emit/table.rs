//! Classes and window tables as data.

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

/// The plan, as a constant that `cargo check` leaves alone: the macro has made it.
pub fn plan(axes: &[Axis]) -> TokenStream {
    let classes = (0..axes.len()).map(class);
    quote!(const { __redist::checked(__plan(), [#(#classes),*]) })
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
    let number = Literal::usize_unsuffixed;
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

pub fn references(spec: &Spec, axes: &[Axis]) -> Option<TokenStream> {
    list(axes.iter().enumerate().map(|(dimension, axis)| {
        let name = format_ident!("__WINDOW_{dimension}");
        wanted(spec, axis).then(|| quote!(&#name))
    }))
}

/// Returns the list of tables by dimension, if there are any.
pub fn list(tables: impl Iterator<Item = Option<TokenStream>>) -> Option<TokenStream> {
    let tables: Vec<_> = tables.collect();
    let written = tables.iter().map(|table| table.clone().unwrap_or_else(|| quote!(&[])));
    tables.iter().any(Option::is_some).then(|| quote!([#(#written),*]))
}

pub fn wanted(spec: &Spec, axis: &Axis) -> bool {
    axis.table_len(spec.tables) > 0
}

fn table(spec: &Spec, dimension: usize, axis: &Axis) -> TokenStream {
    let krate = &spec.krate;
    let (name, count) = (format_ident!("__WINDOW_{dimension}"), axis.window_pieces());
    let keyword = if wanted(spec, axis) { quote!(static) } else { quote!(const) };
    let docs = " ASPEN's table: the pieces of a window, as [block, place in it, block and place there, elements].";
    let len = Literal::usize_unsuffixed(count);
    let dimension = Literal::usize_unsuffixed(dimension);
    let value = if count <= MAX_LITERAL_PIECES {
        literal(axis)
    } else {
        quote!(__plan().axis(#dimension).window_table())
    };
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
