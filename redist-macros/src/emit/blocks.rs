//! Blocks along the messages' fastest dimension, as constants, of which the compiler writes code.

use super::loops::{self, Loops};
use proc_macro2::TokenStream;
use quote::quote;
use redist_notation::planned;
use redist_notation::spec::Spec;
use redist_plan::plan::{Axis, Side};
use redist_plan::program::{BlocksAndRanks, RunStep};

/// Returns no constants if the compiler does not know the blocks, or the user wants no such code.
pub fn constants(spec: &Spec, blocks: impl Fn(usize) -> Option<TokenStream>) -> Loops {
    if spec.unroll == Some(0) {
        return Loops::default();
    }
    let axes = [planned::fastest(spec), planned::fastest_back(spec)]
        .map(|axis| axis.filter(|axis| planned::given_blocks(spec, *axis).is_none()));
    let [there, back] = axes.map(|axis| axis.and_then(&blocks));
    if there.is_none() && back.is_none() {
        return Loops::default();
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
    let loops = there.as_ref().and_then(|_| loops::of(spec, known(spec)?));
    let Loops { functions, constants } = loops.unwrap_or_default();
    let back = (axes[0] != axes[1]).then(|| constant(&back, quote!(BLOCKS_BACK)));
    let there = constant(&there, quote!(BLOCKS));
    Loops { functions, constants: quote!(#there #back #both #constants) }
}

fn known(spec: &Spec) -> Option<BlocksAndRanks> {
    let axis = planned::axis(spec, planned::fastest(spec)?)?;
    let [from, to] = [Side::Source, Side::Destination].map(|side| axis.side(side).ranks());
    let (own, peer) = whole(&axis)?;
    Some(BlocksAndRanks::new((own, from), (peer, to)))
}

pub fn literal(axis: &Axis) -> Option<TokenStream> {
    let (own, peer) = whole(axis)?;
    let [from, to] = [Side::Source, Side::Destination].map(|side| axis.side(side).ranks());
    let blocks = loops::blocks(BlocksAndRanks::new((own, from), (peer, to)));
    Some(quote!(::core::option::Option::Some(#blocks)))
}

/// Both blocks, where they repeat from the first index on: a section may begin inside of one.
fn whole(axis: &Axis) -> Option<(usize, usize)> {
    let sides = [Side::Source, Side::Destination].map(|side| axis.side(side));
    axis.regular_blocks().filter(|_| sides.iter().all(|side| side.at() == 0))
}

pub const WRITTEN: &str =
    "code for these blocks is in the binary where it gains: `explain()` says for which work";

pub const LIBRARY: &str = "packing and unpacking copy runs by the library's code";

/// Returns the sentence of an item's docs about code for its blocks, as `explain()` lists it.
pub fn in_words(spec: &Spec) -> &'static str {
    let (wanted, width) = (spec.unroll != Some(0), loops::width(&spec.element));
    let gains = |step: &RunStep| width.is_none_or(|width| !step.is_copied_as_fast(width, true));
    let has_code = |side: Side, blocks: BlocksAndRanks| {
        let own = if side == Side::Source { blocks } else { blocks.turned() };
        let has_loop = |width| !own.loop_steps(side == Side::Source, width).is_empty();
        own.step(0).is_some_and(|step| gains(&step)) || width.is_some_and(has_loop)
    };
    let both = planned::fastest_on_both_sides(spec);
    let is_written = |blocks: BlocksAndRanks| {
        let unpacks = || has_code(Side::Destination, blocks) || blocks.exchange().is_some();
        has_code(Side::Source, blocks) || both && unpacks()
    };
    if wanted && known(spec).is_some_and(is_written) { WRITTEN } else { LIBRARY }
}
