//! Loops for blocks that the compiler knows: written out where the macro knows them too, over constants otherwise.

use super::expressions::Expressions;
use super::{Planner, plan, table};
use crate::emit::layout::number;
use crate::emit::place::Place;
use crate::emit::unroll::{self, Loops};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use redist_notation::planned;
use redist_notation::spec::Spec;

/// What is emitted of loops.
pub struct EmittedKernels {
    pub functions: TokenStream,
    /// The `kernels` method.
    pub method: TokenStream,
    /// What the docs say of it.
    pub docs: &'static str,
}

/// The loops along the fastest dimension of the messages.
pub fn kernels(spec: &Spec, planner: Planner, expressions: &Expressions<'_>) -> EmittedKernels {
    let none = EmittedKernels {
        functions: TokenStream::new(),
        method: TokenStream::new(),
        docs: "packing and unpacking copy stretches by the library's loops",
    };
    let Some(fastest) = planned::fastest(spec) else { return none };
    if let Some(axis) = planned::axis(spec, fastest) {
        return unrolled(spec, &unroll::loops(spec, &axis)).unwrap_or(none);
    }
    constant(spec, planner, expressions, fastest).unwrap_or(none)
}

fn unrolled(spec: &Spec, loops: &Loops) -> Option<EmittedKernels> {
    let docs = match (&loops.pack, &loops.unpack) {
        (Some(_), Some(_)) => "packing and unpacking are unrolled",
        (Some(_), None) => "packing is unrolled",
        (None, Some(_)) => "unpacking is unrolled",
        (None, None) => return None,
    };
    Some(EmittedKernels { functions: loops.functions(&spec.krate), method: loops.method(&spec.krate), docs })
}

/// Blocks and the number of peers, as constants: of the source's blocks, and of the destination's.
struct BlocksAndPeers {
    blocks: (TokenStream, TokenStream),
    ranks: (TokenStream, TokenStream),
}

fn dealt(spec: &Spec, planner: Planner, expressions: &Expressions<'_>, fastest: usize) -> Option<BlocksAndPeers> {
    let krate = &spec.krate;
    let of_plan = |side: TokenStream, what: TokenStream| {
        let axis = plan::axis(&plan::value(spec, Planner::Constant), fastest);
        quote!(#axis.side(#krate::Side::#side).#what())
    };
    match planner {
        Planner::Generic => None,
        Planner::Constant => Some(BlocksAndPeers {
            blocks: (of_plan(quote!(Source), quote!(block)), of_plan(quote!(Destination), quote!(block))),
            ranks: (of_plan(quote!(Source), quote!(ranks)), of_plan(quote!(Destination), quote!(ranks))),
        }),
        Planner::New => {
            let (from, to) = spec.from.layout().zip(spec.to.layout())?;
            let blocks = table::blocks(spec, expressions, fastest)?;
            let source = expressions.constant(&from.grid[fastest])?;
            let destination = expressions.constant(&to.grid[to.axes[fastest]])?;
            Some(BlocksAndPeers { blocks, ranks: (source, destination) })
        }
    }
}

fn constant(spec: &Spec, planner: Planner, expressions: &Expressions<'_>, fastest: usize) -> Option<EmittedKernels> {
    if spec.has_gen_block(fastest) {
        return None;
    }
    let BlocksAndPeers { blocks: (s, t), ranks: (p, q) } = dealt(spec, planner, expressions, fastest)?;
    let krate = &spec.krate;
    let most = number(spec.unroll.unwrap_or(unroll::DEFAULT_MAX_UNROLLED_PIECES));
    let longest = if spec.unroll.is_some() {
        quote!(::core::primitive::usize::MAX)
    } else {
        number(unroll::MAX_SHORT_PIECE_ELEMENTS)
    };
    let place = Place::at(spec.ident.span());
    let pack = Dealing { place, name: "pack", row: quote!(PackRow), own: &s, peer: &t, peers: &q };
    let unpack = Dealing { place, name: "unpack", row: quote!(UnpackRow), own: &t, peer: &s, peers: &p };
    let unpack = planned::fastest_on_both_sides(spec).then_some(unpack);
    let functions =
        [Some(&pack), unpack.as_ref()].into_iter().flatten().map(|dealing| dealing.function(krate, &most, &longest));
    let (pack, none) = (pack.choice(), quote!(::core::option::Option::None));
    let unpack = unpack.as_ref().map_or(none, Dealing::choice);
    Some(EmittedKernels {
        functions: functions.collect(),
        method: quote! {
            fn kernels(&self) -> #krate::Kernels {
                #krate::Kernels { pack: #pack, unpack: #unpack }
            }
        },
        docs: "short pieces of larger blocks are packed and unpacked by loops over constants",
    })
}

/// A loop over blocks of constants, and the numbers that it is about: block, piece and number of peers.
struct Dealing<'a> {
    place: Place,
    name: &'static str,
    row: TokenStream,
    own: &'a TokenStream,
    peer: &'a TokenStream,
    peers: &'a TokenStream,
}

impl Dealing<'_> {
    /// The constant with the numbers. Where the plan is wrong, so is this; the compiler's notes of it stand at the
    /// item's name.
    fn numbers(&self) -> TokenStream {
        self.place.name(format_ident!("__{}", self.name.to_uppercase()))
    }

    fn function(&self, krate: &TokenStream, most: &TokenStream, longest: &TokenStream) -> TokenStream {
        let Dealing { row, own, peer, peers, .. } = self;
        let (name, numbers) = (format_ident!("{}", self.name), self.numbers());
        quote! {
            const #numbers: [::core::primitive::usize; 3] = __redist::dealt(#own, #peer, #peers, #most, #longest);
            fn #name<T: #krate::Element>(row: __redist::unrolled::#row<'_, '_>) {
                row.deal::<T, { #numbers[0] }, { #numbers[1] }, { #numbers[2] }>();
            }
        }
    }

    fn choice(&self) -> TokenStream {
        let (name, numbers) = (format_ident!("{}", self.name), self.numbers());
        quote! {
            if #numbers[2] > 1 { ::core::option::Option::Some(#name::<Self::Element>) } else { ::core::option::Option::None }
        }
    }
}
