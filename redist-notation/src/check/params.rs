//! Rules about parameters: each is declared and used.

use crate::ast::{Item, Param, ParamKind, SideAst};
use crate::diagnostic::{Diagnostics, message};
use crate::resolve;
use crate::size::Size;
use quote::ToTokens;
use redist_plan::plan::Side;
use syn::{Expr, Ident};

pub fn params(item: &Item, whole: bool, diagnostics: &mut Diagnostics) {
    names(item, diagnostics);
    for (which, side) in item.sides() {
        if let SideAst::Value(value) = side {
            value_side(item, which, value, diagnostics);
        }
    }
    for number in item.sizes() {
        if let Some(Param { ident, kind: ParamKind::Layout(dimensions), .. }) =
            item.param(&number.expr)
        {
            diagnostics
                .error(&number.expr, message::layout_as_size(&number.what, ident, *dimensions));
        }
    }
    if whole && item.end.is_some() {
        unused(item, diagnostics);
    }
}

fn names(item: &Item, diagnostics: &mut Diagnostics) {
    for (index, Param { ident, .. }) in item.params.iter().enumerate() {
        if item.params[..index].iter().any(|earlier| earlier.ident == *ident) {
            diagnostics.error(ident, message::given_twice(ident));
        } else if resolve::generics(item).contains(ident) {
            diagnostics.error(ident, message::param_and_generic(ident));
        }
    }
}

fn value_side(item: &Item, which: Side, value: &Expr, diagnostics: &mut Diagnostics) {
    let Some(Param { ident, kind, .. }) = item.param(value) else { return };
    let dimensions = item.array.as_ref().map_or(0, |array| array.extents.len());
    match kind {
        ParamKind::Usize => {
            diagnostics.error(value, message::number_param_as_side(which, ident, dimensions))
        }
        ParamKind::Layout(found) if dimensions > 0 && *found != dimensions => {
            diagnostics.error(value, message::layout_dimensions(which, ident, *found, dimensions));
        }
        ParamKind::Layout(_) => {}
    }
}

/// Reports undeclared names: local variables, and misspelt parameters.
pub fn undeclared(item: &Item, diagnostics: &mut Diagnostics) {
    let params: Vec<&Ident> = item.params.iter().map(|param| &param.ident).collect();
    for number in item.sizes() {
        if let Some(name) = undeclared_name(item, number) {
            diagnostics.error(name, message::undeclared(&number.what, name, &item.ident, &params));
        }
    }
}

/// Returns a size's undeclared name. Constants are in capitals, or paths.
pub fn undeclared_name<'a>(item: &Item, number: &'a Size) -> Option<&'a Ident> {
    let Expr::Path(path) = &number.expr else { return None };
    let name = path.path.get_ident()?;
    let is_known = item.params.iter().any(|param| param.ident == *name)
        || resolve::generics(item).contains(name);
    let is_constant = name.to_string().chars().any(char::is_uppercase);
    (!is_known && !is_constant).then_some(name)
}

fn unused(item: &Item, diagnostics: &mut Diagnostics) {
    let axes =
        item.layouts().filter_map(|(_, layout)| layout.axes.as_ref()).flat_map(|list| &list.values);
    let sizes =
        item.sizes().chain(axes).chain(&item.unroll).chain(&item.tables).map(|number| &number.expr);
    let values = item
        .sides()
        .filter_map(|(_, side)| if let SideAst::Value(value) = side { Some(value) } else { None });
    let expressions: Vec<&Expr> = sizes.chain(values).collect();
    for Param { ident, kind, .. } in &item.params {
        if !expressions.iter().any(|expression| resolve::names(expression.to_token_stream(), ident))
        {
            diagnostics.error(ident, message::unused_param(ident, *kind));
        }
    }
}
