//! Tokens → items, by the macro's own rules; then once more with all values.

use super::dimensions;
use super::names;
use super::report::is_in_text;
use super::values::{Values, without_spaces};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use redist::Side;
use redist_notation::ast::{Clause, Item, SideAst};
use redist_notation::diagnostic::{Diagnostics, message};
use redist_notation::parse::{self, Parsed};
use redist_notation::spec::Spec;
use std::collections::HashSet;
use syn::Expr;

/// Returns the calls of the macro in a text, or all of a text without calls.
pub fn call(tokens: TokenStream) -> TokenStream {
    let calls = calls(tokens.clone());
    if calls.is_empty() { tokens } else { calls }
}

pub fn read(call: TokenStream, values: &Values) -> Result<Vec<Spec>, Vec<syn::Error>> {
    let call = with_headers(call);
    let as_written = parse::call(call.clone()).into_iter().map(|parsed| judged(parsed, None));
    let mut errors: Vec<syn::Error> = as_written.filter_map(Result::err).flatten().collect();
    let told: HashSet<Place> = errors.iter().map(place).collect();
    let mut items = Vec::new();
    for parsed in parse::call(call) {
        match judged(parsed, Some(values)) {
            Ok(spec) => items.extend(spec),
            // Errors that follow from a mistake are not reported again.
            Err(found) => {
                errors.extend(found.into_iter().filter(|error| !told.contains(&place(error))));
            }
        }
    }
    if errors.is_empty() { Ok(items) } else { Err(errors) }
}

type Place = (String, usize, usize, Option<String>);

fn place(error: &syn::Error) -> Place {
    let (span, start) = (error.span(), error.span().start());
    let words = (!is_in_text(span)).then(|| error.to_string());
    (span.file(), start.line, start.column, words)
}

fn calls(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = TokenStream::new();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        let is_call = at >= 2
            && tokens[at - 2].to_string() == "redistribute"
            && tokens[at - 1].to_string() == "!";
        found.extend(if is_call { group.stream() } else { calls(group.stream()) });
    }
    found
}

/// Writes a header before each item of only an array and clauses: `[f64; 10] { ... }`.
fn with_headers(tokens: TokenStream) -> TokenStream {
    let mut headed = TokenStream::new();
    let (mut begins, mut after_hash) = (true, false);
    for token in tokens {
        match &token {
            TokenTree::Group(array)
                if begins && !after_hash && array.delimiter() == Delimiter::Bracket =>
            {
                // At the place of the bracket, so that messages about a name that is not there
                // point at what is.
                headed.extend(quote_spanned!(array.span_open()=> struct Redistribution:));
                begins = false;
            }
            TokenTree::Group(group) => {
                begins = after_hash && begins || group.delimiter() == Delimiter::Brace;
            }
            TokenTree::Punct(punct) => {
                begins = begins && punct.as_char() == '#' || punct.as_char() == ';'
            }
            _ => begins = false,
        }
        after_hash = token.to_string() == "#";
        headed.extend([token]);
    }
    headed
}

/// Checks an item as written, or with values; `None` if a part of a correct item is open.
fn judged(parsed: Parsed, values: Option<&Values>) -> Result<Option<Spec>, syn::Error> {
    let Parsed { item, mut diagnostics } = parsed;
    let Some(mut item) = item else {
        diagnostics.finish()?;
        return Ok(None);
    };
    // Before the work, which takes time with each dimension.
    if let Some(error) = item.array.as_ref().and_then(|array| dimensions::too_many(&array.extents))
    {
        return Err(error);
    }
    let whole = diagnostics.is_empty();
    if let Some(values) = values {
        fill_in(&mut item, values, &mut diagnostics);
    }
    let (item, spec) = redist_notation::understand(item, whole, &mut diagnostics);
    if let Some(values) = values {
        demand_values(&item, values, &mut diagnostics);
    }
    diagnostics.finish()?;
    Ok(spec)
}

fn fill_in(item: &mut Item, values: &Values, diagnostics: &mut Diagnostics) {
    for side in [&mut item.from, &mut item.to] {
        let Clause::Given(SideAst::Value(value)) = side else { continue };
        if let Some(tokens) = values.tokens(&without_spaces(&value.to_token_stream().to_string())) {
            *side = parse::lone_side(tokens, diagnostics);
        }
    }
    item.params.clear();
    item.for_each_size(&mut |size| size.expr = values.fill_in(&size.expr));
}

fn demand_values(item: &Item, values: &Values, diagnostics: &mut Diagnostics) {
    // Of an array without extents, no layout can be given.
    let sides = item.sides().filter(|_| item.array.as_ref().is_none_or(|a| !a.extents.is_empty()));
    for (which, side) in sides {
        if let SideAst::Value(value) = side
            && !matches!(value, Expr::Lit(_))
        {
            diagnostics.error(value, unknown_layout(which, value, item));
        }
    }
    for number in item.sizes().filter(|number| number.is_open()) {
        let names = names::all(number.expr.to_token_stream());
        for name in &names {
            let message = if values.tokens(&name.text).is_some() {
                format!("{} is a number, but the value of `{}` is none", number.what, name.text)
            } else {
                format!(
                    "the value of `{0}` is not known here; give it by `--set {0}=...`",
                    name.text
                )
            };
            diagnostics.error_at(name.span, message);
        }
        if names.is_empty() {
            diagnostics.error(&number.expr, not_computed(&number.expr));
        }
    }
}

fn unknown_layout(which: Side, value: &Expr, item: &Item) -> String {
    let name = message::source_text(value);
    let dimensions = item.array.as_ref().map_or(1, |array| array.extents.len());
    let example = match dimensions {
        1 => "block onto 4".into(),
        _ => format!("(block{}) onto 4", ", *".repeat(dimensions - 1)),
    };
    format!("the {which} `{name}` is not known here; give it by `--set '{name}={example}'`")
}

fn not_computed(expression: &Expr) -> String {
    let text = message::source_text(expression);
    format!(
        "`{text}` is not computed here, where only + - * / % << and >> of numbers are; write what it comes to"
    )
}
