//! Classes and window tables as data.

use super::implementation::only_when_used;
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use redist_notation::spec::{LayoutSpec, Spec};
use redist_plan::plan::{Axis, Class, Piece, Side};

/// Largest table, in pieces, that the expansion writes out. Longer ones are left to rustc's const
/// evaluator, which compiles faster and gives the same data.
const MAX_LITERAL_PIECES: usize = 256;

/// Largest window of a closed form, in pieces, that is listed. The planner needs no table of it.
const MAX_LISTED_PIECES: usize = 32;

/// For each dimension its class, which is checked where it is written out, and its window's pieces.
pub fn dimensions(spec: &Spec, axes: &[Axis]) -> TokenStream {
    axes.iter().enumerate().map(|(number, axis)| dimension(spec, number, axis)).collect()
}

fn dimension(spec: &Spec, dimension: usize, axis: &Axis) -> TokenStream {
    let class = format_ident!("__CLASS_{dimension}");
    let (value, number) = (written(axis.class()), Literal::usize_unsuffixed(dimension));
    let docs = format!(" Dimension {dimension}: {axis}.");
    let table = wanted(spec, axis) || is_listed(axis);
    let table = table.then(|| self::table(spec, dimension, axis));
    quote! {
        #[doc = #docs]
        const #class: __redist::Class = #value;
        const _: () = __redist::check_class(&__PLAN.axis(#number), #class);
        #table
    }
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

pub fn references(spec: &Spec, axes: &[Axis]) -> TokenStream {
    let windows = axes.iter().enumerate().map(|(dimension, axis)| {
        let name = format_ident!("__WINDOW_{dimension}");
        if wanted(spec, axis) { quote!(&#name) } else { quote!(&[]) }
    });
    quote!([#(#windows),*])
}

pub fn inverse_references(spec: &Spec, axes: &[Axis], to: &LayoutSpec) -> Option<TokenStream> {
    let windows = (0..axes.len()).map(|own| {
        let axis = &axes[to.source_axis(own)];
        if !wanted(spec, axis) {
            return quote!(&[]);
        }
        let (own, len) =
            (Literal::usize_unsuffixed(own), Literal::usize_unsuffixed(axis.window_pieces()));
        only_when_used(&quote!(&__PLAN.inverse().axis(#own).window_table::<#len>()))
    });
    axes.iter().any(|axis| wanted(spec, axis)).then(|| quote!([#(#windows),*]))
}

pub fn wanted(spec: &Spec, axis: &Axis) -> bool {
    axis.table_len(spec.tables) > 0
}

fn table(spec: &Spec, dimension: usize, axis: &Axis) -> TokenStream {
    let krate = &spec.krate;
    let (name, count) = (format_ident!("__WINDOW_{dimension}"), axis.window_pieces());
    let keyword = if wanted(spec, axis) { quote!(static) } else { quote!(const) };
    let docs = " ASPEN's table: the pieces of a window, by block and place in it on both sides.";
    let len = Literal::usize_unsuffixed(count);
    let dimension = Literal::usize_unsuffixed(dimension);
    let value = if count <= MAX_LITERAL_PIECES {
        let pieces = axis.window_walk().map(|piece| entry(krate, piece));
        quote!([#(#pieces),*])
    } else {
        quote!(__PLAN.axis(#dimension).window_table())
    };
    quote!(#[doc = #docs] #keyword #name: [#krate::Piece; #len] = #value;)
}

fn entry(krate: &TokenStream, piece: Piece) -> TokenStream {
    let number = Literal::usize_unsuffixed;
    let (source, from) = (number(piece.source_block), number(piece.source_offset));
    let (destination, to) = (number(piece.destination_block), number(piece.destination_offset));
    let len = number(piece.len);
    quote!(#krate::Piece::new((#source, #from), (#destination, #to), #len))
}
