//! Loops for blocks that the compiler knows: written out where the macro knows them too, over constants otherwise.

use super::expressions::Expressions;
use super::{Planner, plan, table};
use crate::emit::implementation::EmittedLoops;
use crate::emit::layout::number;
use crate::emit::place::Place;
use crate::emit::unroll;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use redist_notation::planned;
use redist_notation::spec::Spec;

/// The loops along the fastest dimension of the messages, and what the docs say of them.
pub fn along_fastest(
    spec: &Spec,
    planner: Planner,
    expressions: &Expressions<'_>,
) -> (Option<EmittedLoops>, &'static str) {
    let written = planned::fastest(spec).and_then(|fastest| match planned::axis(spec, fastest) {
        Some(axis) => unrolled(&unroll::loops(spec, &axis)),
        None => constant(spec, dealt(spec, planner, expressions, fastest)?, fastest),
    });
    let none = (None, "packing and unpacking copy stretches by the library's loops");
    written.map_or(none, |(loops, docs)| (Some(loops), docs))
}

fn unrolled(loops: &unroll::Loops) -> Option<(EmittedLoops, &'static str)> {
    let docs = match (&loops.pack, &loops.unpack) {
        (Some(_), None) => "packing is unrolled",
        (None, Some(_)) => "unpacking is unrolled",
        _ => "packing and unpacking are unrolled",
    };
    Some((loops.emitted()?, docs))
}

/// Blocks and ranks of a dimension as constants: the source's, and the destination's.
type BlocksAndPeers = [(TokenStream, TokenStream); 2];

fn dealt(spec: &Spec, planner: Planner, expressions: &Expressions<'_>, fastest: usize) -> Option<BlocksAndPeers> {
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

/// Loops over constants; `unpack` only where the destination of the messages stores them in their order.
fn constant(spec: &Spec, [(s, p), (t, q)]: BlocksAndPeers, fastest: usize) -> Option<(EmittedLoops, &'static str)> {
    if spec.has_gen_block(fastest) {
        return None;
    }
    let dealing = |name: &'static str, row, own, peer, peers| Dealing {
        name,
        row,
        numbers: numbers(spec, name),
        own,
        peer,
        peers,
    };
    let pack = dealing("pack", quote!(PackRow), &s, &t, &q);
    let unpack = dealing("unpack", quote!(UnpackRow), &t, &s, &p);
    let both = planned::fastest_on_both_sides(spec);
    let dealings: Vec<Dealing<'_>> = if both { vec![pack, unpack] } else { vec![pack] };
    let loops = EmittedLoops {
        constants: dealings.iter().map(|dealing| dealing.constant(spec)).collect(),
        methods: dealings.iter().map(Dealing::methods).collect(),
    };
    Some((loops, "short pieces of larger blocks are packed and unpacked by loops over constants"))
}

/// The constant with the numbers of a loop. Where the plan is wrong, so is this; the compiler's notes of it stand at the
/// item's name.
fn numbers(spec: &Spec, name: &str) -> TokenStream {
    Place::at(spec.ident.span()).name(format_ident!("__{}", name.to_uppercase()))
}

/// A loop over blocks of constants, and the numbers that it is about: block, piece and number of peers.
struct Dealing<'a> {
    name: &'static str,
    row: TokenStream,
    numbers: TokenStream,
    own: &'a TokenStream,
    peer: &'a TokenStream,
    peers: &'a TokenStream,
}

impl Dealing<'_> {
    fn constant(&self, spec: &Spec) -> TokenStream {
        let Dealing { numbers, own, peer, peers, .. } = self;
        let most = number(spec.unroll.unwrap_or(unroll::DEFAULT_MAX_UNROLLED_PIECES));
        let longest = match spec.unroll {
            Some(_) => quote!(::core::primitive::usize::MAX),
            None => number(unroll::MAX_SHORT_PIECE_ELEMENTS),
        };
        quote! {
            const #numbers: [::core::primitive::usize; 3] = __redist::dealt(#own, #peer, #peers, #most, #longest);
        }
    }

    fn methods(&self) -> TokenStream {
        let Dealing { row, numbers, .. } = self;
        let (name, written): (Ident, Ident) =
            (format_ident!("{}", self.name), format_ident!("{}S", self.name.to_uppercase()));
        quote! {
            const #written: ::core::primitive::bool = #numbers[2] > 1;
            fn #name<__T: __redist::Element>(row: __redist::unrolled::#row<'_, '_>) {
                row.deal::<__T, { #numbers[0] }, { #numbers[1] }, { #numbers[2] }>();
            }
        }
    }
}
