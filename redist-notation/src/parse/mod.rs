//! Tokens → [`Item`]: only the grammar. After an error, reading goes on by `recover.rs`.

mod clause;
mod distribution;
mod header;
mod recover;
mod require;
mod side;
mod sizes;
mod word;

use crate::ast::{Clause, Item, SideAst};
use crate::diagnostic::Diagnostics;
use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};

/// One item of a call, as far as it can be read.
pub struct Parsed {
    /// The item; `None` if not even its name can be read.
    pub item: Option<Item>,
    /// Its errors.
    pub diagnostics: Diagnostics,
}

pub fn call(input: TokenStream) -> Vec<Parsed> {
    let mut items = Vec::new();
    let parser = |input: ParseStream| -> syn::Result<()> {
        while !input.is_empty() {
            items.push(item(input));
        }
        Ok(())
    };
    let leftover = parser.parse2(input);
    // The tokens that syn finds left over belong to the part skipped after an error.
    if let Err(error) = leftover
        && items.iter().all(|parsed| parsed.diagnostics.is_empty())
    {
        let mut diagnostics = Diagnostics::new();
        diagnostics.push(error);
        items.push(Parsed { item: None, diagnostics });
    }
    items
}

pub fn lone_side(input: TokenStream, diagnostics: &mut Diagnostics) -> Clause<SideAst> {
    let read = (|input: ParseStream| side::side(input, diagnostics)).parse2(input);
    read.map_or_else(
        |error| {
            diagnostics.push(error);
            Clause::Broken
        },
        Clause::Given,
    )
}

fn item(input: ParseStream) -> Parsed {
    let mut diagnostics = Diagnostics::new();
    let start = input.cursor();
    let item = header::item(input, &mut diagnostics).map_err(|error| {
        diagnostics.push(error);
        recover::skip_to_body(input);
        if input.cursor() == start || !input.peek(syn::Token![struct]) {
            recover::skip_one(input);
        }
    });
    Parsed { item: item.ok(), diagnostics }
}
