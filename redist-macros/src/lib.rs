//! The procedural macros behind `redist::redistribute!`, which is documented there and calls them.

mod element;
mod emit;
mod fallback;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod names;
#[cfg(test)]
mod tests;

use proc_macro2::{TokenStream, TokenTree};
use redist_notation::parse::{self, Parsed};

/// `[path of the facade crate] items`, from the facade's macro: only there is `$crate` known.
#[proc_macro]
pub fn redistribute(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(input.into()).into()
}

/// Puts the given items beside the declaration that it stands at: see `emit::declaration`.
#[proc_macro_attribute]
pub fn beside(
    items: proc_macro::TokenStream,
    declaration: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    [declaration, items].into_iter().collect()
}

/// Makes a struct an element: something that arrays which are redistributed can be made of.
///
/// ```ignore
/// #[derive(Clone, Copy, redist::Element)]
/// #[repr(C)]
/// struct Particle {
///     position: [f64; 3],
///     mass: f32,
///     kind: u32,
/// }
/// ```
///
/// The struct is `Copy`, and its fields are elements themselves. It is `#[repr(C)]` or
/// `#[repr(transparent)]`, so that fields lie at the same offsets on every rank. It has no padding:
/// the error for a gap names the field behind it. Deriving promises that a value means the same on
/// every rank. A number for something of this process only, such as an open file, does not.
///
/// A generic struct has fields of one type, or arrays of it, so that no instance can have padding:
/// `struct Point<T, const D: usize> { place: [T; D], weight: T }`.
///
/// `#[redist(crate = path)]` says where this crate is found, if it was renamed or re-exported.
#[proc_macro_derive(Element, attributes(redist))]
pub fn derive_element(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    element::derive(input.into()).into()
}

/// The whole macro: parse → understand (resolve and check) → emit, one item at a time.
fn expand(input: TokenStream) -> TokenStream {
    let mut tokens = input.into_iter();
    let krate = match tokens.next() {
        Some(TokenTree::Group(path)) => path.stream(),
        _ => TokenStream::new(),
    };
    parse::call(tokens.collect()).into_iter().map(|parsed| expand_item(&krate, parsed)).collect()
}

fn expand_item(krate: &TokenStream, parsed: Parsed) -> TokenStream {
    let Parsed { item, mut diagnostics } = parsed;
    let Some(mut item) = item else {
        return fallback::without_item(diagnostics);
    };
    item.krate = krate.clone();
    let whole = diagnostics.is_empty();
    let (item, spec) = redist_notation::understand(item, whole, &mut diagnostics);
    redist_notation::check::undeclared(&item, &mut diagnostics);
    match (diagnostics.finish(), spec) {
        (Ok(()), Some(spec)) => emit::item(&spec),
        (errors, _) => fallback::item(&item, errors.err()),
    }
}
