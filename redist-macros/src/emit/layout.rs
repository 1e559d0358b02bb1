//! A layout as the expression that builds it.

use crate::planned;
use crate::spec::{LayoutSpec, Size};
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use redist_runtime::layout::{Dist, RankOrder, StorageOrder};

/// A constant expression of type `Layout<D>`; what is the default is left out.
pub fn layout(krate: &TokenStream, layout: &LayoutSpec) -> TokenStream {
    let dists = layout.dists.iter().filter_map(planned::dist).map(|dist| distribution(krate, dist));
    let grid = literals(&layout.grid);
    let mut text = quote!(#krate::Layout::new([#(#dists),*], #grid));
    if layout.first.iter().any(|size| size.literal() != Some(0)) {
        let first = literals(&layout.first);
        text.extend(quote!(.first(#first)));
    }
    if let Some(base @ 1..) = layout.base.literal() {
        let base = Literal::usize_unsuffixed(base);
        text.extend(quote!(.base(#base)));
    }
    if layout.order == RankOrder::Col {
        text.extend(quote!(.rank_order(#krate::RankOrder::Col)));
    }
    if layout.storage == StorageOrder::Fortran {
        text.extend(quote!(.storage_order(#krate::StorageOrder::Fortran)));
    }
    if let Some(of) = &layout.of {
        let at = layout.at.as_ref().map_or_else(|| numbers(of.iter().map(|_| 0)), |at| literals(at));
        let of = literals(of);
        text.extend(quote!(.section(#of, #at)));
    }
    if layout.axes.iter().enumerate().any(|(from, to)| from != *to) {
        let axes = numbers(layout.axes.iter().copied());
        text.extend(quote!(.axes(#axes)));
    }
    text
}

fn distribution(krate: &TokenStream, dist: Dist) -> TokenStream {
    let number = Literal::usize_unsuffixed;
    match dist {
        Dist::Collapsed => quote!(#krate::Dist::Collapsed),
        Dist::Block => quote!(#krate::Dist::Block),
        Dist::BlockOf(block) => {
            let block = number(block);
            quote!(#krate::Dist::BlockOf(#block))
        }
        Dist::Cyclic(block) => {
            let block = number(block);
            quote!(#krate::Dist::Cyclic(#block))
        }
    }
}

fn literals(sizes: &[Size]) -> TokenStream {
    numbers(sizes.iter().filter_map(Size::literal))
}

/// An array of numbers.
pub fn numbers(numbers: impl IntoIterator<Item = usize>) -> TokenStream {
    let numbers = numbers.into_iter().map(Literal::usize_unsuffixed);
    quote!([#(#numbers),*])
}
