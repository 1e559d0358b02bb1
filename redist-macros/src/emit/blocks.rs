//! Blocks along the messages' fastest dimension, as constants, of which the compiler writes code.

use super::layout::number;
use super::statements;
use proc_macro2::TokenStream;
use quote::quote;
use redist_notation::planned;
use redist_notation::spec::Spec;
use redist_plan::plan::{Axis, Side};
use redist_plan::program::BlocksAndRanks;

/// Returns no constants if the compiler does not know the blocks, or the user wants no such code.
pub fn constants(spec: &Spec, blocks: impl Fn(usize) -> Option<TokenStream>) -> TokenStream {
    if spec.unroll == Some(0) {
        return TokenStream::new();
    }
    let axes = [planned::fastest(spec), planned::fastest_back(spec)]
        .map(|axis| axis.filter(|axis| planned::given_blocks(spec, *axis).is_none()));
    let [there, back] = axes.map(|axis| axis.and_then(&blocks));
    if there.is_none() && back.is_none() {
        return TokenStream::new();
    }
    let constant = |blocks: &Option<TokenStream>, name: TokenStream| {
        let blocks = blocks.clone().unwrap_or_else(|| quote!(::core::option::Option::None));
        quote!(const #name: ::core::option::Option<__redist::BlocksAndRanks> = #blocks;)
    };
    let both = (there.is_some() && !planned::fastest_on_both_sides(spec)).then(|| {
        quote!(
            const ON_BOTH_SIDES: ::core::primitive::bool = false;
        )
    });
    let text = there.as_ref().and_then(|_| statements::constants(spec, known(spec)?));
    let back = (axes[0] != axes[1]).then(|| constant(&back, quote!(BLOCKS_BACK)));
    let there = constant(&there, quote!(BLOCKS));
    quote!(#there #back #both #text)
}

fn known(spec: &Spec) -> Option<BlocksAndRanks> {
    let axis = planned::axis(spec, planned::fastest(spec)?)?;
    let [from, to] = [Side::Source, Side::Destination].map(|side| axis.side(side).ranks());
    let (own, peer) = whole(&axis)?;
    Some(BlocksAndRanks::new((own, from), (peer, to)))
}

pub fn literal(axis: &Axis) -> Option<TokenStream> {
    let (own, peer) = whole(axis)?;
    let ranks = |side| number(axis.side(side).ranks());
    let (source, destination) = (ranks(Side::Source), ranks(Side::Destination));
    let (own, peer) = (number(own), number(peer));
    let blocks = quote!(__redist::BlocksAndRanks::new((#own, #source), (#peer, #destination)));
    Some(quote!(::core::option::Option::Some(#blocks)))
}

/// Both blocks, where they repeat from the first index on: a section may begin inside of one.
fn whole(axis: &Axis) -> Option<(usize, usize)> {
    let sides = [Side::Source, Side::Destination].map(|side| axis.side(side));
    axis.regular_blocks().filter(|_| sides.iter().all(|side| side.at() == 0))
}

pub const WRITTEN: &str =
    "code for these blocks is in the binary where it gains: `explain()` says for which work";

pub fn in_words(spec: &Spec) -> &'static str {
    let step = |side: Side| {
        let blocks = known(spec)?;
        let own = if side == Side::Source { blocks } else { blocks.turned() };
        own.step(0)
    };
    let wanted = spec.unroll != Some(0);
    let packs = wanted && step(Side::Source).is_some();
    let unpacks =
        wanted && planned::fastest_on_both_sides(spec) && step(Side::Destination).is_some();
    // For which work it gains depends on the bytes of an element, which the macro does not know.
    if packs || unpacks { WRITTEN } else { "packing and unpacking copy runs by the library's code" }
}
