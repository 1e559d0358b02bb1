//! Every message of the derive: what is wrong, and how to mend it.

use syn::{Ident, Variant};

pub fn is_enum(name: &Ident, first: Option<&Variant>) -> String {
    let message = "an enum cannot be an element, only a struct can";
    match first.filter(|variant| variant.fields.is_empty()) {
        Some(Variant { ident, .. }) => {
            format!("{message}; move the number of the variant, as in `{name}::{ident} as u8`")
        }
        None => message.into(),
    }
}

pub fn is_union(name: &Ident) -> String {
    format!(
        "a union cannot be an element, only a struct can; move `{name}` as the bytes that it holds, an array of `u8`"
    )
}

pub fn no_fields(name: &Ident) -> String {
    format!("`{name}` has no fields, so there is nothing to move")
}

pub fn no_repr(name: &Ident) -> String {
    format!(
        "`{name}` needs `#[repr(C)]`, or `#[repr(transparent)]` if it has one field: its fields have to lie in the same \
         places on every rank, and Rust is free to reorder them otherwise"
    )
}

pub fn lifetime(name: &Ident) -> String {
    format!(
        "`{name}` cannot be an element while it borrows: an address means nothing to another rank"
    )
}

pub fn aligned_generic(name: &Ident) -> String {
    format!(
        "whether `{name}` has padding at its end would depend on its generics; leave `align` or the generics out"
    )
}

pub fn mixed_generic(name: &Ident, first: &str) -> String {
    format!(
        "whether `{name}` has padding would depend on its generics; the fields of a generic element have to be of one \
         type, or arrays of it, and the first is made of `{first}`"
    )
}

pub fn expected_crate() -> String {
    "expected the path of the crate, as in `#[redist(crate = path::to::redist)]`".into()
}
