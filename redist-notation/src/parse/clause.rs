//! Parses the clauses of an item, in any order.

use super::{recover, require, side, word};
use crate::ast::{Clause, Item, SideAst};
use crate::diagnostic::{Diagnostics, message};
use crate::size::Size;
use redist_plan::layout::vocabulary::did_you_mean;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Ident, Token};

/// Words that begin a clause.
const CLAUSES: &[&str] = &["from", "to", "require", "unroll", "tables", "relabel"];

/// Reads every clause, also after a bad one.
pub fn clauses(input: ParseStream, item: &mut Item, diagnostics: &mut Diagnostics) {
    while !input.is_empty() {
        let errors = diagnostics.len();
        let read =
            clause(input, item, diagnostics).and_then(|()| separator(input, errors, diagnostics));
        if let Err(error) = read {
            diagnostics.push(error);
            recover::skip_to_clause(input);
        }
    }
}

fn clause(input: ParseStream, item: &mut Item, diagnostics: &mut Diagnostics) -> syn::Result<()> {
    let keyword = keyword(input, item, diagnostics)?;
    match meant(&keyword, diagnostics) {
        Some("from") => side_clause(input, &mut item.from, &keyword, diagnostics)?,
        Some("to") => side_clause(input, &mut item.to, &keyword, diagnostics)?,
        Some("require") => require::list(input, &mut item.require, &keyword, diagnostics)?,
        Some("unroll") => {
            word::once(&mut item.unroll, Size::written(input.parse()?), &keyword, diagnostics)
        }
        Some("tables") => {
            word::once(&mut item.tables, Size::written(input.parse()?), &keyword, diagnostics)
        }
        Some(_) => word::once(&mut item.relabel, relabel(input)?, &keyword, diagnostics),
        None => recover::skip_clause(input),
    }
    Ok(())
}

fn keyword(
    input: ParseStream,
    item: &mut Item,
    diagnostics: &mut Diagnostics,
) -> syn::Result<Ident> {
    if !input.peek(Ident::peek_any) {
        item.lost = true;
        return Err(recover::expected(input, message::expected_clause(CLAUSES)));
    }
    let keyword = Ident::parse_any(input)?;
    if input.peek(Token![:]) && !input.peek(Token![::]) {
        input.parse::<Token![:]>()?;
        return Ok(keyword);
    }
    if input.peek(Token![=]) && !input.peek(Token![==]) {
        // As good as a colon for all that follows.
        let sign = input.parse::<Token![=]>()?;
        diagnostics.error(sign, message::equals_for_colon(&keyword));
        return Ok(keyword);
    }
    // Not missing, only unreadable.
    if keyword == "from" {
        item.from = Clause::Broken;
    } else if keyword == "to" {
        item.to = Clause::Broken;
    }
    Err(recover::expected(input, message::expected_colon(&keyword)))
}

fn relabel(input: ParseStream) -> syn::Result<Ident> {
    let wrong = |span| syn::Error::new(span, message::RELABEL_SIDE);
    let span = input.span();
    let word = Ident::parse_any(input).map_err(|_| wrong(span))?;
    if word == "to" { Ok(word) } else { Err(wrong(span)) }
}

fn meant(keyword: &Ident, diagnostics: &mut Diagnostics) -> Option<&'static str> {
    let written = keyword.to_string();
    let exact = CLAUSES.iter().find(|clause| **clause == written).copied();
    exact.or_else(|| {
        diagnostics.error(keyword, message::unknown_word("clause", keyword, CLAUSES));
        did_you_mean(&written, CLAUSES)
    })
}

fn side_clause(
    input: ParseStream,
    slot: &mut Clause<SideAst>,
    keyword: &Ident,
    diagnostics: &mut Diagnostics,
) -> syn::Result<()> {
    let (side, result) = match side::side(input, diagnostics) {
        Ok(side) => (Clause::Given(side), Ok(())),
        Err(error) => (Clause::Broken, Err(error)),
    };
    if matches!(slot, Clause::Absent) {
        *slot = side;
    } else {
        diagnostics.error(keyword, message::given_twice(keyword));
    }
    result
}

/// Reads the comma after a clause, unless an error in the clause has taken it.
fn separator(input: ParseStream, errors: usize, diagnostics: &mut Diagnostics) -> syn::Result<()> {
    if input.is_empty() || input.parse::<Token![,]>().is_ok() {
        return Ok(());
    }
    if recover::at_clause(input) {
        if diagnostics.len() == errors {
            diagnostics.push(recover::expected(input, message::MISSING_COMMA));
        }
        return Ok(());
    }
    Err(recover::expected(input, message::EXPECTED_COMMA))
}
