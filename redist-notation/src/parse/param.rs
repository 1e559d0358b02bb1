use crate::ast::{Param, ParamKind};
use crate::diagnostic::message;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, GenericArgument, Ident, Lit, PathArguments, PathSegment, Token, Type};

pub fn list(input: ParseStream) -> syn::Result<Vec<Param>> {
    let content;
    syn::parenthesized!(content in input);
    let params = Punctuated::<Param, Token![,]>::parse_terminated_with(&content, param)?;
    Ok(params.into_iter().collect())
}

fn param(input: ParseStream) -> syn::Result<Param> {
    let ident: Ident = input.parse()?;
    input.parse::<Token![:]>()?;
    let ty: Type = input.parse()?;
    let kind =
        kind(&ty).ok_or_else(|| syn::Error::new_spanned(&ty, message::param_type(&ident)))?;
    Ok(Param { ident, kind, ty })
}

/// Reads `usize` or `Layout<D>`, the latter under any path.
fn kind(ty: &Type) -> Option<ParamKind> {
    let Type::Path(path) = ty else { return None };
    let segment = path.path.segments.last()?;
    if segment.ident == "Layout" {
        return dimensions(segment).map(ParamKind::Layout);
    }
    path.path.is_ident("usize").then_some(ParamKind::Usize)
}

fn dimensions(layout: &PathSegment) -> Option<usize> {
    let PathArguments::AngleBracketed(arguments) = &layout.arguments else {
        return None;
    };
    let mut arguments = arguments.args.iter();
    match (arguments.next(), arguments.next()) {
        (Some(GenericArgument::Const(Expr::Lit(ExprLit { lit: Lit::Int(number), .. }))), None) => {
            number.base10_parse().ok()
        }
        _ => None,
    }
}
