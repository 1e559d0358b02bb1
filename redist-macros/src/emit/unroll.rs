//! One window as straight-line code: for each kind of block, what belongs to one message after the
//! other.

use super::implementation::{EmittedLoops, Way};
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use redist_notation::planned;
use redist_notation::spec::Spec;
use redist_runtime::plan::{Axis, Class, Side};
use std::collections::BTreeMap;

/// Largest number of unrolled pieces where the item has no `unroll`: more cost more to compile than
/// they gain.
pub const DEFAULT_MAX_UNROLLED_PIECES: usize = 128;

/// Largest number of kinds of blocks that are unrolled where the item has no `unroll`.
const DEFAULT_MAX_BLOCK_KINDS: usize = 8;

/// Largest mean length of a piece, in elements, for which a copy of constant length beats a call of
/// `memcpy`.
pub const MAX_SHORT_PIECE_ELEMENTS: usize = 32;

/// The loops written for one plan.
pub struct Loops {
    pub pack: Option<UnrolledLoop>,
    pub unpack: Option<UnrolledLoop>,
}

/// A loop over the whole blocks of one side.
pub struct UnrolledLoop {
    side: Side,
    block: usize,
    peers: usize,
    bodies: Vec<Body>,
}

/// What happens to blocks of these phases: pieces of (offset in the block, length), each with the
/// next peer.
struct Body {
    phases: Vec<usize>,
    pieces: Vec<(usize, usize)>,
}

/// The loops along the fastest dimension of the messages.
pub fn along_fastest(spec: &Spec, axes: &[Axis], way: Way) -> Loops {
    match fastest(spec, way) {
        Some(fastest) => loops(spec, &axes[fastest], way),
        None => Loops { pack: None, unpack: None },
    }
}

/// The source's axis along which messages are contiguous.
pub fn fastest(spec: &Spec, way: Way) -> Option<usize> {
    match way {
        Way::There => planned::fastest(spec),
        Way::Back => planned::fastest_back(spec),
    }
}

/// The loops along a dimension, on the sides where they pay.
pub fn loops(spec: &Spec, axis: &Axis, way: Way) -> Loops {
    let axis = &match way {
        Way::There => *axis,
        Way::Back => axis.inverse(),
    };
    let wanted = |side| {
        let written =
            (pays(spec, axis) && pays_on(axis, side)).then(|| UnrolledLoop::new(axis, side))?;
        (spec.unroll.is_some() || written.bodies.len() <= DEFAULT_MAX_BLOCK_KINDS)
            .then_some(written)
    };
    Loops {
        pack: wanted(Side::Source),
        unpack: wanted(Side::Destination).filter(|_| planned::fastest_on_both_sides(spec)),
    }
}

/// Few and short pieces; an item that asks for unrolling gets it for long ones, and for blocks of
/// many kinds, too.
fn pays(spec: &Spec, axis: &Axis) -> bool {
    let pieces = axis.window_pieces();
    let short =
        spec.unroll.is_some() || axis.window() <= pieces.saturating_mul(MAX_SHORT_PIECE_ELEMENTS);
    let repeats = axis.regular_blocks().is_some() && !matches!(axis.class(), Class::Identity);
    repeats && pieces > 0 && pieces <= spec.unroll.unwrap_or(DEFAULT_MAX_UNROLLED_PIECES) && short
}

/// Whole dimensions, more than one peer, and no stretch that spans own blocks: the library's loops
/// copy those as one.
fn pays_on(axis: &Axis, side: Side) -> bool {
    let (own, peer) = (axis.side(side), axis.side(side.other()));
    let apart = own.block().saturating_mul(own.ranks()) >= peer.block();
    own.at() == 0 && peer.at() == 0 && peer.ranks() > 1 && apart
}

impl UnrolledLoop {
    fn new(axis: &Axis, side: Side) -> Self {
        let mut blocks: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for piece in axis.window_walk() {
            blocks.entry(piece.block(side)).or_default().push((piece.offset(side), piece.len));
        }
        let mut bodies: Vec<Body> = Vec::new();
        for (phase, pieces) in blocks {
            match bodies.iter_mut().find(|body| body.pieces == pieces) {
                Some(body) => body.phases.push(phase),
                None => bodies.push(Body { phases: vec![phase], pieces }),
            }
        }
        bodies.sort_by_key(|body| core::cmp::Reverse(body.phases.len()));
        Self {
            side,
            block: axis.side(side).block(),
            peers: axis.side(side.other()).ranks(),
            bodies,
        }
    }

    /// One statement for each message that the blocks have pieces of; later rounds of peers come
    /// back to the first.
    fn body(&self, body: &Body) -> TokenStream {
        let peers = body.pieces.len().min(self.peers);
        let statements = (0..peers).map(|peer| {
            let share: Vec<_> =
                body.pieces.iter().skip(peer).step_by(self.peers).copied().collect();
            self.statement(peer, &share)
        });
        quote!({ #(#statements)* })
    }

    fn statement(&self, peer: usize, pieces: &[(usize, usize)]) -> TokenStream {
        let mut shared = 0;
        let copies: Vec<TokenStream> = pieces
            .iter()
            .map(|&(offset, len)| {
                let (in_block, in_share) = (range(offset, len), range(shared, len));
                shared += len;
                match self.side {
                    Side::Source => quote!(share[#in_share].copy_from_slice(&block[#in_block]);),
                    Side::Destination => {
                        quote!(block[#in_block].copy_from_slice(&share[#in_share]);)
                    }
                }
            })
            .collect();
        let (share, peer) = (Literal::usize_unsuffixed(shared), Literal::usize_unsuffixed(peer));
        match self.side {
            Side::Source => {
                quote!(messages.put(#peer, blocks, |block, share: &mut [_; #share]| { #(#copies)* });)
            }
            Side::Destination => {
                quote!(messages.take(#peer, blocks, |block, share: &[_; #share]| { #(#copies)* });)
            }
        }
    }

    /// The body of the loop; the kind of block that is most frequent is the `match`'s last arm.
    fn bodies(&self) -> TokenStream {
        let Some((most, others)) = self.bodies.split_first() else { return TokenStream::new() };
        let last = self.body(most);
        if others.is_empty() {
            return last;
        }
        let arms = others.iter().map(|other| {
            let (phases, body) =
                (other.phases.iter().copied().map(Literal::usize_unsuffixed), self.body(other));
            quote!(#(#phases)|* => #body)
        });
        quote!(match phase { #(#arms)* _ => #last })
    }

    /// The length of the pieces, where all blocks are cut alike into pieces of one length.
    fn dealt(&self) -> Option<usize> {
        let [Body { pieces, .. }] = &self.bodies[..] else { return None };
        let (_, len) = *pieces.first()?;
        (pieces.len() * len == self.block && pieces.iter().all(|piece| piece.1 == len))
            .then_some(len)
    }

    /// Written out for the plan itself; for its inverse, which most programs do not ask for, the
    /// library's loop over constants where there is one, since that takes less time to compile.
    fn method(&self, way: Way) -> TokenStream {
        let block = Literal::usize_unsuffixed(self.block);
        let loops = match self.dealt() {
            Some(piece) if way == Way::Back => {
                let (piece, peers) =
                    (Literal::usize_unsuffixed(piece), Literal::usize_unsuffixed(self.peers));
                quote!(row.deal::<__T, #block, #piece, #peers>();)
            }
            _ => {
                let phase = if self.bodies.len() == 1 { quote!(_) } else { quote!(phase) };
                let bodies = self.bodies();
                quote!(row.blocks::<__T, #block>(|#phase, blocks, messages| #bodies);)
            }
        };
        let (name, written) = way.names(self.side);
        let row = match self.side {
            Side::Source => quote!(PackRow),
            Side::Destination => quote!(UnpackRow),
        };
        quote! {
            const #written: ::core::primitive::bool = true;
            fn #name<__T: __redist::Element>(row: __redist::unrolled::#row<'_, '_>) {
                #loops
            }
        }
    }
}

impl Loops {
    /// What is emitted of them, if there are any.
    pub fn emitted(&self, way: Way) -> Option<EmittedLoops> {
        let methods: TokenStream =
            self.pack.iter().chain(&self.unpack).map(|written| written.method(way)).collect();
        (!methods.is_empty()).then_some(EmittedLoops { constants: TokenStream::new(), methods })
    }
}

fn range(start: usize, len: usize) -> TokenStream {
    let (start, end) = (Literal::usize_unsuffixed(start), Literal::usize_unsuffixed(start + len));
    quote!(#start..#end)
}
