//! What the grammar has but this version cannot plan: whatever is not an integer literal.
//!
//! One clear error each, at the user's token. Nothing else knows of this limit.

use crate::ast::{DistKind, Item, Side};
use crate::diagnostic::{Diagnostics, message};
use crate::resolve::Number;
use crate::spec::Value;
use quote::quote;
use syn::{ConstParam, GenericParam, Ident};

/// Reports what has to wait.
pub fn item(item: &Item<Number>, diagnostics: &mut Diagnostics) {
    params(item, diagnostics);
    sizes(item, diagnostics);
    sides(item, diagnostics);
}

fn params(item: &Item<Number>, diagnostics: &mut Diagnostics) {
    let names: Vec<&Ident> = item.params.iter().map(|param| &param.ident).collect();
    if !names.is_empty() {
        diagnostics.error(quote!(#(#names),*), message::not_yet_params(&names));
    }
    for param in constants(item) {
        diagnostics.error(&param.ident, message::not_yet_const_generic(&param.ident));
    }
}

fn constants(item: &Item<Number>) -> impl Iterator<Item = &ConstParam> {
    item.generics.params.iter().filter_map(|param| match param {
        GenericParam::Const(constant) => Some(constant),
        GenericParam::Type(_) | GenericParam::Lifetime(_) => None,
    })
}

fn sizes(item: &Item<Number>, diagnostics: &mut Diagnostics) {
    for number in item.sizes() {
        match number.value {
            Some(Value::Constant) => diagnostics.error(&number.expr, message::not_yet_constant(&number.expr)),
            Some(Value::Generic) if constants(item).next().is_none() => {
                diagnostics.error(&number.expr, message::not_yet_constant(&number.expr));
            }
            // These were answered where their name is declared.
            Some(Value::Generic | Value::Parameter) | Some(Value::Literal(_)) | None => {}
        }
    }
}

fn sides(item: &Item<Number>, diagnostics: &mut Diagnostics) {
    for (which, side) in item.sides() {
        match side {
            // A literal is no layout in any version.
            Side::Value(syn::Expr::Lit(_)) => {}
            Side::Value(value) => diagnostics.error(value, message::not_yet_value(which, value)),
            Side::Layout(layout) => {
                for dist in layout.dists.iter().filter(|dist| matches!(dist.kind, DistKind::GenBlock(_))) {
                    diagnostics.error(&dist.token, message::not_yet_gen_block());
                }
            }
        }
    }
}
