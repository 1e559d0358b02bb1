//! Loops for blocks that the compiler knows: written out where the macro knows them too, over
//! constants otherwise.

use super::expressions::Expressions;
use super::{Planner, plan, table};
use crate::emit::implementation::{EmittedLoops, Way};
use crate::emit::layout::number;
use crate::emit::place::Place;
use crate::emit::unroll;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use redist_notation::planned;
use redist_notation::spec::Spec;
use redist_runtime::plan::Side;

/// The loops along the fastest dimension of the messages, there and back, and what the docs say of
/// the former.
pub fn along_fastest(
    spec: &Spec,
    planner: Planner,
    expressions: &Expressions<'_>,
) -> ([Option<EmittedLoops>; 2], &'static str) {
    let [there, back] = [Way::There, Way::Back].map(|way| one_way(spec, planner, expressions, way));
    let docs = there
        .as_ref()
        .map_or("packing and unpacking copy stretches by the library's loops", |(_, docs)| docs);
    ([there, back].map(|written| written.map(|(loops, _)| loops)), docs)
}

fn one_way(
    spec: &Spec,
    planner: Planner,
    expressions: &Expressions<'_>,
    way: Way,
) -> Option<(EmittedLoops, &'static str)> {
    let fastest = unroll::fastest(spec, way)?;
    match planned::axis(spec, fastest) {
        Some(axis) => unrolled(&unroll::loops(spec, &axis, way), way),
        None => constant(spec, dealt(spec, planner, expressions, fastest)?, fastest, way),
    }
}

fn unrolled(loops: &unroll::Loops, way: Way) -> Option<(EmittedLoops, &'static str)> {
    let docs = match (&loops.pack, &loops.unpack) {
        (Some(_), None) => "packing is unrolled",
        (None, Some(_)) => "unpacking is unrolled",
        _ => "packing and unpacking are unrolled",
    };
    Some((loops.emitted(way)?, docs))
}

/// Blocks and ranks of a dimension as constants: the source's, and the destination's.
type BlocksAndPeers = [(TokenStream, TokenStream); 2];

fn dealt(
    spec: &Spec,
    planner: Planner,
    expressions: &Expressions<'_>,
    fastest: usize,
) -> Option<BlocksAndPeers> {
    let krate = &spec.krate;
    match planner {
        Planner::Generic => None,
        Planner::Constant => Some([quote!(Source), quote!(Destination)].map(|side| {
            let axis = plan::axis(&plan::value(spec, planner), fastest);
            let section = quote!(#axis.side(#krate::Side::#side));
            (quote!(#section.block()), quote!(#section.ranks()))
        })),
        Planner::New => {
            let (from, to) = spec.from.layout().zip(spec.to.layout())?;
            let (source, destination) = table::blocks(spec, expressions, fastest)?;
            let p = expressions.constant(&from.grid[fastest])?;
            let q = expressions.constant(&to.grid[to.axes[fastest]])?;
            Some([(source, p), (destination, q)])
        }
    }
}

/// Loops over constants; `unpack` only where the destination of the messages stores them in their
/// order.
fn constant(
    spec: &Spec,
    dealt: BlocksAndPeers,
    fastest: usize,
    way: Way,
) -> Option<(EmittedLoops, &'static str)> {
    if spec.has_gen_block(fastest) {
        return None;
    }
    let both = planned::fastest_on_both_sides(spec);
    let sides = if both { &[Side::Source, Side::Destination][..] } else { &[Side::Source] };
    let loops = sides.iter().map(|side| dealing(spec, &dealt, *side, way));
    let (constants, methods) = loops.unzip();
    let docs = "short pieces of larger blocks are packed and unpacked by loops over constants";
    Some((EmittedLoops { constants, methods }, docs))
}

/// The constant with the numbers of the loop over the blocks of a side of the messages (block,
/// piece and number of peers), and the loop.
fn dealing(
    spec: &Spec,
    [source, destination]: &BlocksAndPeers,
    side: Side,
    way: Way,
) -> (TokenStream, TokenStream) {
    let ((own, _), (peer, peers)) = match (side, way) {
        (Side::Source, Way::There) | (Side::Destination, Way::Back) => (source, destination),
        (Side::Destination, Way::There) | (Side::Source, Way::Back) => (destination, source),
    };
    let most = number(spec.unroll.unwrap_or(unroll::DEFAULT_MAX_UNROLLED_PIECES));
    let longest = match spec.unroll {
        Some(_) => quote!(::core::primitive::usize::MAX),
        None => number(unroll::MAX_SHORT_PIECE_ELEMENTS),
    };
    let (name, written) = way.names(side);
    // Where the plan is wrong, so is this: see `Expressions`.
    let numbers =
        Place::at(spec.ident.span()).name(format_ident!("__{}", name.to_string().to_uppercase()));
    let row = match side {
        Side::Source => quote!(PackRow),
        Side::Destination => quote!(UnpackRow),
    };
    let constant = quote! {
        const #numbers: [::core::primitive::usize; 3] = __redist::dealt(#own, #peer, #peers, #most, #longest);
    };
    let method = quote! {
        const #written: ::core::primitive::bool = #numbers[2] > 1;
        fn #name<__T: __redist::Element>(row: __redist::unrolled::#row<'_, '_>) {
            row.deal::<__T, { #numbers[0] }, { #numbers[1] }, { #numbers[2] }>();
        }
    };
    (constant, method)
}
