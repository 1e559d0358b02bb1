//! The rules that a struct has to keep to be an element.

use super::attributes::Repr;
use super::message;
use quote::ToTokens;
use redist_notation::diagnostic::Diagnostics;
use redist_notation::diagnostic::message::source_text;
use syn::{DeriveInput, Ident, Type};

pub fn item(input: &DeriveInput, types: &[Type], diagnostics: &mut Diagnostics) {
    let (name, repr) = (&input.ident, Repr::of(input));
    if types.is_empty() {
        diagnostics.error(name, message::no_fields(name));
    }
    if !repr.is_ordered {
        diagnostics.error(name, message::no_repr(name));
    }
    for lifetime in input.generics.lifetimes() {
        diagnostics.error(&lifetime.lifetime, message::lifetime(name));
    }
    if !input.generics.params.is_empty() {
        generic(name, &repr, types, diagnostics);
    }
}

/// rustc looks at no layout of a generic struct before it is used. So the text must show that there
/// is no padding: fields of one type, or arrays of it, leave no gaps.
fn generic(name: &Ident, repr: &Repr, types: &[Type], diagnostics: &mut Diagnostics) {
    if let Some(align) = repr.align {
        diagnostics.error_at(align, message::aligned_generic(name));
    }
    let text = |ty: &Type| base(ty).to_token_stream().to_string();
    if let Some(first) = types.first()
        && let Some(other) = types.iter().find(|ty| text(ty) != text(first))
    {
        diagnostics.error(other, message::mixed_generic(name, &source_text(base(first))));
    }
}

pub fn base(ty: &Type) -> &Type {
    match ty {
        Type::Array(array) => base(&array.elem),
        Type::Paren(inner) => base(&inner.elem),
        Type::Group(inner) => base(&inner.elem),
        other => other,
    }
}
