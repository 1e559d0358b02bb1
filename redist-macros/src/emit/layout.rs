//! A layout as the expression that builds it.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use redist_notation::spec::{
    DistSpec, FactorKind, FactorSpec, FactorWord, LayoutSpec, RanksSpec, RowsKind, Size, Value,
};
use redist_plan::layout::{RankOrder, StorageOrder};

pub fn literal(krate: &TokenStream, layout: &LayoutSpec) -> TokenStream {
    self::layout(krate, layout, &mut |size| number(size.literal().unwrap_or(0)))
}

pub fn layout(
    krate: &TokenStream,
    layout: &LayoutSpec,
    value: &mut dyn FnMut(&Size) -> TokenStream,
) -> TokenStream {
    let dists: Vec<_> = layout.dists.iter().map(|dist| distribution(krate, dist, value)).collect();
    let grid = list(&layout.grid, value);
    let mut text = quote!(#krate::Layout::new([#(#dists),*], #grid));
    if layout.first.iter().any(|size| size.literal() != Some(0)) {
        let first = list(&layout.first, value);
        text.extend(quote!(.first(#first)));
    }
    text.extend(ranks(krate, &layout.ranks, value));
    if layout.order == RankOrder::Col {
        text.extend(quote!(.order(#krate::RankOrder::Col)));
    }
    if layout.storage == StorageOrder::Fortran {
        text.extend(quote!(.storage(#krate::StorageOrder::Fortran)));
    }
    if let Some(of) = &layout.of {
        let at =
            layout.at.as_ref().map_or_else(|| numbers(of.iter().map(|_| 0)), |at| list(at, value));
        let of = list(of, value);
        text.extend(quote!(.of(#of).at(#at)));
    }
    if layout.axes.iter().enumerate().any(|(from, to)| from != *to) {
        let axes = numbers(layout.axes.iter().copied());
        text.extend(quote!(.axes(#axes)));
    }
    text
}

fn ranks(
    krate: &TokenStream,
    ranks: &RanksSpec,
    value: &mut dyn FnMut(&Size) -> TokenStream,
) -> TokenStream {
    match ranks {
        RanksSpec::Range { first, .. } if first.literal() == Some(0) => TokenStream::new(),
        RanksSpec::Range { first, .. } => {
            let first = value(first);
            quote!(.ranks(#krate::Ranks::From(#first)))
        }
        RanksSpec::Map(map) => {
            let is_late = map.iter().any(|rank| rank.value == Value::Parameter);
            let map = list(map, value);
            // Layouts that are given at run time have to be kept for as long as the program runs.
            if is_late {
                quote!(.ranks(#krate::Ranks::map(&#map)))
            } else {
                quote!(.ranks(#krate::Ranks::Map(&#map)))
            }
        }
    }
}

pub fn distribution(
    krate: &TokenStream,
    dist: &DistSpec,
    value: &mut dyn FnMut(&Size) -> TokenStream,
) -> TokenStream {
    match dist {
        DistSpec::Collapsed => quote!(#krate::Dist::Collapsed),
        DistSpec::Block => quote!(#krate::Dist::Block),
        DistSpec::Balanced { last } => quote!(#krate::Dist::Balanced { last: #last }),
        DistSpec::BlockOf(block) => {
            let block = value(block);
            quote!(#krate::Dist::BlockOf(#block))
        }
        DistSpec::Cyclic(block) => {
            let block = value(block);
            quote!(#krate::Dist::Cyclic(#block))
        }
        DistSpec::GenBlock(sizes) => {
            let sizes = list(sizes, value);
            quote!(#krate::Dist::GenBlock(&#sizes))
        }
        DistSpec::Listed(cuts, sizes) => {
            let (cuts, owners) = (list(&sizes[..*cuts], value), list(&sizes[*cuts..], value));
            quote!(#krate::Dist::Blocks { cuts: &#cuts, owners: &#owners })
        }
        DistSpec::Rows(kind, sizes) => rows(krate, *kind, sizes, value),
        DistSpec::Split(kinds, sizes) => {
            let factors = FactorKind::factors(kinds, sizes);
            let factors = factors.iter().map(|it| factor(krate, it, value));
            quote!(#krate::Dist::Split(&[#(#factors),*]))
        }
    }
}

fn factor(
    krate: &TokenStream,
    factor: &FactorSpec<'_>,
    value: &mut dyn FnMut(&Size) -> TokenStream,
) -> TokenStream {
    let mut or_one = |size: Option<&Size>| size.map_or_else(|| quote!(1), &mut *value);
    let (extent, block) = (or_one(Some(factor.extent)), or_one(factor.block));
    let dist = match factor.word {
        FactorWord::Collapsed => quote!(Collapsed),
        FactorWord::Block => quote!(Block),
        FactorWord::Balanced { last } => quote!(Balanced { last: #last }),
        FactorWord::BlockOf => quote!(BlockOf(#block)),
        FactorWord::Cyclic => quote!(Cyclic(#block)),
    };
    let ranks = match factor.ranks {
        Some(ranks) => {
            let ranks = or_one(Some(ranks));
            quote!(::core::option::Option::Some(#ranks))
        }
        None => quote!(::core::option::Option::None),
    };
    quote!(#krate::layout::Factor { extent: #extent, dist: #krate::layout::FactorDist::#dist, ranks: #ranks })
}

fn rows(
    krate: &TokenStream,
    kind: RowsKind,
    sizes: &[Size],
    value: &mut dyn FnMut(&Size) -> TokenStream,
) -> TokenStream {
    let (lengths, turn, points) = kind.split(sizes);
    let lengths = list(lengths, value);
    if kind == RowsKind::Points {
        return quote!(#krate::Dist::Points(&#lengths));
    }
    let turn = match turn.map(&mut *value) {
        Some(turn) => quote!(::core::option::Option::Some(#turn)),
        None => quote!(::core::option::Option::None),
    };
    let points = points.map_or_else(|| quote!(1), value);
    quote!(#krate::Dist::Rows { lengths: &#lengths, turn: #turn, points: #points })
}

pub fn list(sizes: &[Size], value: &mut dyn FnMut(&Size) -> TokenStream) -> TokenStream {
    let sizes = sizes.iter().map(value);
    quote!([#(#sizes),*])
}

pub fn numbers(numbers: impl IntoIterator<Item = usize>) -> TokenStream {
    let numbers = numbers.into_iter().map(number);
    quote!([#(#numbers),*])
}

pub fn number(number: usize) -> TokenStream {
    let literal = Literal::usize_unsuffixed(number);
    quote!(#literal)
}
