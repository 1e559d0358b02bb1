//! Loops for blocks that the compiler knows: written out where the macro knows them too, over constants otherwise.

use super::expressions::Expressions;
use super::{Planner, plan, table};
use crate::emit::layout::number;
use crate::emit::place::Place;
use crate::emit::unroll::{self, Loops};
use crate::planned;
use crate::spec::Spec;
use proc_macro2::TokenStream;
use quote::quote;

/// What is emitted of loops.
pub struct Kernels {
    pub functions: TokenStream,
    /// The `kernels` method.
    pub method: TokenStream,
    /// What the docs say of it.
    pub docs: &'static str,
}

/// The loops along the fastest dimension of the messages.
pub fn kernels(spec: &Spec, planner: Planner, expressions: &Expressions<'_>) -> Kernels {
    let none = Kernels {
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

fn unrolled(spec: &Spec, loops: &Loops) -> Option<Kernels> {
    let docs = match (&loops.pack, &loops.unpack) {
        (Some(_), Some(_)) => "packing and unpacking are unrolled",
        (Some(_), None) => "packing is unrolled",
        (None, Some(_)) => "unpacking is unrolled",
        (None, None) => return None,
    };
    Some(Kernels { functions: loops.functions(&spec.krate), method: loops.method(&spec.krate), docs })
}

/// Blocks and the number of peers, as constants: of the source's blocks, and of the destination's.
struct Dealt {
    blocks: (TokenStream, TokenStream),
    ranks: (TokenStream, TokenStream),
}

fn dealt(spec: &Spec, planner: Planner, expressions: &Expressions<'_>, fastest: usize) -> Option<Dealt> {
    let krate = &spec.krate;
    let of_plan = |side: TokenStream, what: TokenStream| {
        let axis = plan::axis(&plan::value(spec, Planner::Constant), fastest);
        quote!(#axis.side(#krate::Side::#side).#what())
    };
    match planner {
        Planner::Generic => None,
        Planner::Constant => Some(Dealt {
            blocks: (of_plan(quote!(Source), quote!(block)), of_plan(quote!(Destination), quote!(block))),
            ranks: (of_plan(quote!(Source), quote!(ranks)), of_plan(quote!(Destination), quote!(ranks))),
        }),
        Planner::New => {
            let (from, to) = spec.from.layout().zip(spec.to.layout())?;
            let blocks = table::blocks(spec, expressions, fastest)?;
            let source = expressions.constant(&from.grid[fastest])?;
            let destination = expressions.constant(&to.grid[to.axes[fastest]])?;
            Some(Dealt { blocks, ranks: (source, destination) })
        }
    }
}

fn constant(spec: &Spec, planner: Planner, expressions: &Expressions<'_>, fastest: usize) -> Option<Kernels> {
    if spec.has_gen_block(fastest) {
        return None;
    }
    let Dealt { blocks: (s, t), ranks: (p, q) } = dealt(spec, planner, expressions, fastest)?;
    let krate = &spec.krate;
    let most = number(spec.unroll.unwrap_or(unroll::BUDGET));
    let longest = if spec.unroll.is_some() { quote!(::core::primitive::usize::MAX) } else { number(unroll::SHORT) };
    let both = planned::fastest_on_both_sides(spec);
    let some = |name: TokenStream| quote!(::core::option::Option::Some(#name));
    let (pack, unpack) = (some(quote!(pack)), some(quote!(unpack)));
    // Where the plan is wrong, so are these; the compiler's notes of it stand at the item's name.
    let place = Place::at(spec.ident.span());
    let (packs, unpacks) = (place.name(quote!(PACK)), place.name(quote!(UNPACK)));
    Some(Kernels {
        functions: quote! {
            const PACK: [::core::primitive::usize; 3] =
                #krate::exec::generated::dealt(#s, #t, #q, #most, #longest);
            const UNPACK: [::core::primitive::usize; 3] =
                #krate::exec::generated::dealt(#t, #s, #p, #most, #longest);
            fn pack<T: ::core::marker::Copy>(row: #krate::exec::generated::unrolled::PackRow<'_, '_, T>) {
                row.deal::<{ #packs[0] }, { #packs[1] }, { #packs[2] }>();
            }
            fn unpack<T: ::core::marker::Copy>(row: #krate::exec::generated::unrolled::UnpackRow<'_, '_, T>) {
                row.deal::<{ #unpacks[0] }, { #unpacks[1] }, { #unpacks[2] }>();
            }
        },
        method: quote! {
            fn kernels(&self) -> #krate::Kernels<Self::Element> {
                #krate::Kernels {
                    pack: if #packs[2] > 1 { #pack } else { ::core::option::Option::None },
                    unpack: if #unpacks[2] > 1 && #both { #unpack } else { ::core::option::Option::None },
                }
            }
        },
        docs: "short pieces of larger blocks are packed and unpacked by loops over constants",
    })
}
