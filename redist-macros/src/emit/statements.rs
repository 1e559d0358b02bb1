//! Steps as text: the runs that are packed, unpacked or copied between arrays, one statement each.
//!
//! The library's loop over steps runs them as they stand, if a constant finds them to be the plan's.

use super::text::tokens;
use core::fmt::Write;
use proc_macro2::TokenStream;
use quote::quote;
use redist_notation::planned;
use redist_notation::spec::Spec;
use redist_plan::program::{BlocksAndRanks, MAX_STEP_CYCLES, StepMoves};
use syn::Type;

pub fn constants(spec: &Spec, blocks: BlocksAndRanks) -> Option<TokenStream> {
    let width = width(&spec.element)?;
    let packing = steps(blocks, true, width);
    if !planned::fastest_on_both_sides(spec) {
        return Some(packing);
    }
    let unpacking = steps(blocks.turned(), false, width);
    let exchange = blocks.exchange().filter(|moves| moves.are_stated(width));
    let exchange = exchange.map(|moves| {
        let docs = format!(
            " Copies between arrays, a step of {} elements: its runs, as [source, place in it, destination, \
             place in it, elements].",
            moves.elements()
        );
        let list = list(&moves);
        quote!(#[doc = #docs] const EXCHANGE: __redist::Written = #list;)
    });
    Some(quote!(#packing #unpacking #exchange))
}

fn steps(blocks: BlocksAndRanks, packs: bool, width: usize) -> TokenStream {
    let moves = (0..MAX_STEP_CYCLES).map(|cycle| {
        let step = blocks.new_step(cycle).filter(|step| !step.is_copied_as_fast(width, true))?;
        Some(step.moves(packs)).filter(|moves| moves.are_stated(width))
    });
    let mut moves: Vec<_> = moves.collect();
    moves.truncate(moves.iter().rposition(Option::is_some).map_or(0, |last| last + 1));
    let Some(elements) = moves.iter().flatten().next().map(StepMoves::elements) else {
        return TokenStream::new();
    };
    let lists = moves.iter().map(|moves| moves.as_ref().map_or_else(|| quote!(&[]), list));
    let (name, does, from, to) = match packs {
        true => (quote!(PACK), "Packs", "array 0", "message"),
        false => (quote!(UNPACK), "Unpacks", "message", "array 0"),
    };
    let docs = format!(
        " {does} a step of {elements} elements: its runs, as [{from}, place in it, {to}, place in it, \
         elements]."
    );
    quote!(#[doc = #docs] const #name: &'static [__redist::Written] = &[#(#lists),*];)
}

/// The statements, parsed from a text: a token each takes rustc ten times as long to make.
fn list(moves: &StepMoves) -> TokenStream {
    let mut text = String::from("&[");
    for [from, source, to, destination, len] in moves.statements() {
        let _ = write!(text, "[{from},{source},{to},{destination},{len}],");
    }
    text.push(']');
    tokens(&text)
}

/// Bytes of an element of a number's type, by its name. Another type of that name makes nothing wrong:
/// statements count elements.
fn width(element: &Type) -> Option<usize> {
    let Type::Path(path) = element else { return None };
    let name = path.path.get_ident()?.to_string();
    let bits = name.strip_prefix(['f', 'i', 'u'])?.parse().ok()?;
    matches!(bits, 8 | 16 | 32 | 64 | 128).then_some(bits / 8)
}

#[cfg(test)]
mod tests;
