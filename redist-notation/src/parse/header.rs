//! Parses the header of an item: name, generics, parameters, array.

use super::{clause, recover, sizes};
use crate::ast::{Array, Clause, Item, Param, ParamKind};
use crate::diagnostic::{Diagnostics, message};
use quote::quote;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Expr, ExprLit, GenericArgument, Generics, Ident, Lit, PathArguments, PathSegment,
    Token, Type, Visibility, token,
};

/// An error before its name loses the item, a later one the rest of the header.
pub fn item(input: ParseStream, diagnostics: &mut Diagnostics) -> syn::Result<Item> {
    let mut item = start(input)?;
    if let Err(error) = rest(input, &mut item) {
        diagnostics.push(error);
        recover::skip_to_body(input);
    } else if !input.peek(token::Brace) {
        let message = message::expected_body(&item.ident);
        let error = if input.is_empty() {
            syn::Error::new_spanned(&item.ident, message)
        } else {
            recover::expected(input, message)
        };
        diagnostics.push(error);
        recover::skip_to_body(input);
    }
    body(input, &mut item, diagnostics)?;
    Ok(item)
}

fn start(input: ParseStream) -> syn::Result<Item> {
    let attrs = Attribute::parse_outer(input)?;
    let vis: Visibility = input.parse()?;
    if !input.peek(Token![struct]) {
        return Err(recover::expected(input, message::EXPECTED_ITEM));
    }
    input.parse::<Token![struct]>()?;
    let unnamed = |error: syn::Error| syn::Error::new(error.span(), message::EXPECTED_NAME);
    let ident: Ident = input.parse().map_err(unnamed)?;
    Ok(Item {
        attrs,
        vis,
        ident,
        generics: Generics::default(),
        params: Vec::new(),
        array: None,
        end: None,
        lost: false,
        from: Clause::Absent,
        to: Clause::Absent,
        require: Vec::new(),
        unroll: None,
        tables: None,
        relabel: None,
        krate: quote!(::redist),
    })
}

fn rest(input: ParseStream, item: &mut Item) -> syn::Result<()> {
    item.generics = input.parse()?;
    if input.peek(token::Paren) {
        item.params = params(input)?;
    }
    if !input.peek(Token![:]) || input.peek(Token![::]) {
        return Err(recover::expected(input, message::expected_array(&item.ident)));
    }
    input.parse::<Token![:]>()?;
    if !input.peek(token::Bracket) {
        return Err(recover::expected(input, message::expected_bracket(&item.ident)));
    }
    item.array = Some(array(input)?);
    item.generics.where_clause = input.parse()?;
    Ok(())
}

fn array(input: ParseStream) -> syn::Result<Array> {
    let content;
    let bracket = syn::bracketed!(content in input);
    let element: syn::Result<Type> = content.parse();
    let element =
        element.map_err(|error| syn::Error::new(error.span(), message::EXPECTED_ELEMENT))?;
    if !content.peek(Token![;]) {
        return Err(recover::expected(&content, message::EXPECTED_EXTENTS));
    }
    content.parse::<Token![;]>()?;
    let extents = Punctuated::<_, Token![,]>::parse_terminated_with(&content, sizes::size)?;
    Ok(Array { element, extents: extents.into_iter().collect(), end: bracket.span.close() })
}

fn body(input: ParseStream, item: &mut Item, diagnostics: &mut Diagnostics) -> syn::Result<()> {
    if input.peek(token::Brace) {
        let content;
        let brace = syn::braced!(content in input);
        item.end = Some(brace.span.close());
        clause::clauses(&content, item, diagnostics);
    } else {
        // The absence was reported; a `;` ends the item as it would end Rust's.
        let _: syn::Result<Token![;]> = input.parse();
    }
    Ok(())
}

fn params(input: ParseStream) -> syn::Result<Vec<Param>> {
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
