//! Window tables as data.

use super::implementation::only_when_used;
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use redist_notation::spec::{LayoutSpec, Spec};
use redist_plan::plan::{Axis, Piece};

/// Largest table, in pieces, that the expansion writes out. Longer ones are left to rustc's const
/// evaluator, which compiles faster and gives the same data.
const MAX_LITERAL_PIECES: usize = 256;

/// A `static` for each dimension that gets a table.
pub fn statics(spec: &Spec, axes: &[Axis]) -> TokenStream {
    axes.iter()
        .enumerate()
        .filter(|(_, axis)| wanted(spec, axis))
        .map(|(d, axis)| table(spec, d, axis))
        .collect()
}

/// The tables by dimension, as the `windows` method returns them.
pub fn references(spec: &Spec, axes: &[Axis]) -> TokenStream {
    let windows = axes.iter().enumerate().map(|(dimension, axis)| {
        let name = format_ident!("__WINDOW_{dimension}");
        if wanted(spec, axis) { quote!(&#name) } else { quote!(&[]) }
    });
    quote!([#(#windows),*])
}

/// The tables of the inverse by its dimensions, which rustc evaluates where they are used; `None`
/// if there are none.
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

/// Windows above the limit are walked as they are needed.
pub fn wanted(spec: &Spec, axis: &Axis) -> bool {
    axis.table_len(spec.tables) > 0
}

fn table(spec: &Spec, dimension: usize, axis: &Axis) -> TokenStream {
    let krate = &spec.krate;
    let (name, count) = (format_ident!("__WINDOW_{dimension}"), axis.window_pieces());
    let len = Literal::usize_unsuffixed(count);
    let dimension = Literal::usize_unsuffixed(dimension);
    let value = if count <= MAX_LITERAL_PIECES {
        let pieces = axis.window_walk().map(|piece| entry(krate, piece));
        quote!([#(#pieces),*])
    } else {
        quote!(__PLAN.axis(#dimension).window_table())
    };
    quote!(static #name: [#krate::Piece; #len] = #value;)
}

fn entry(krate: &TokenStream, piece: Piece) -> TokenStream {
    let number = Literal::usize_unsuffixed;
    let (source, from) = (number(piece.source_block), number(piece.source_offset));
    let (destination, to) = (number(piece.destination_block), number(piece.destination_offset));
    let len = number(piece.len);
    quote!(#krate::Piece::new((#source, #from), (#destination, #to), #len))
}
