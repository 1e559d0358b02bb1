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

/// Says what rustc makes of a run.
const COMPILED: &str =
    "Each run is compiled to one load and one store, or to several beyond a register.";

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
        let first = format!(" Array 0 of a side is of the rank with its first block. {COMPILED}");
        let list = list(&moves);
        quote!(#[doc = #docs] #[doc = #first] const EXCHANGE: __redist::Statements = #list;)
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
    let (name, does, from, to, first) = match packs {
        true => (quote!(PACK), "Packs", "array 0", "message", "goes to the receiver"),
        false => (quote!(UNPACK), "Unpacks", "message", "array 0", "comes from the sender"),
    };
    let docs = format!(
        " {does} a step of {elements} elements: its runs, as [{from}, place in it, {to}, place in it, \
         elements]."
    );
    let first = format!(" Message 0 {first} of the step's first element. {COMPILED}");
    quote!(#[doc = #docs] #[doc = #first] const #name: &'static [__redist::Statements] = &[#(#lists),*];)
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
