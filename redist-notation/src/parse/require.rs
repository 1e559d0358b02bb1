//! Parses the clause `require`.

use super::{recover, word};
use crate::ast::{Require, Requirement};
use crate::diagnostic::{Diagnostics, message};
use core::mem::discriminant;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use redist_plan::plan::Demand;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitInt, Token};

/// Words that begin a demand.
const WORDS: &[&str] = &["tables", "static", "unrolled", "messages", "steps", "stays", "memory"];

/// Units of memory, with the powers of two of their bytes.
const UNITS: [(&str, u32); 4] = [("b", 0), ("kib", 10), ("mib", 20), ("gib", 30)];

pub fn list(
    input: ParseStream,
    slot: &mut Vec<Requirement>,
    keyword: &Ident,
    diagnostics: &mut Diagnostics,
) -> syn::Result<()> {
    let mut list = Vec::new();
    loop {
        let errors = diagnostics.len();
        let (word, requirement) = one(input, diagnostics)?;
        if let Some(requirement) = requirement {
            let is_same = |other: &Requirement| is_same_kind(other.kind, requirement.kind);
            if list.iter().any(is_same) && diagnostics.len() == errors {
                diagnostics.error(&word, message::given_twice(&word));
            }
            list.push(requirement);
        }
        if !goes_on(input) {
            break;
        }
        input.parse::<Token![,]>()?;
    }
    if slot.is_empty() {
        *slot = list;
    } else {
        diagnostics.error(keyword, message::given_twice(keyword));
    }
    Ok(())
}

fn is_same_kind(one: Require, other: Require) -> bool {
    match (one, other) {
        (Require::Figure(one), Require::Figure(other)) => {
            discriminant(&one) == discriminant(&other)
        }
        _ => one == other,
    }
}

fn goes_on(input: ParseStream) -> bool {
    let ahead = input.fork();
    if ahead.parse::<Token![,]>().is_err() || recover::at_clause(&ahead) {
        return false;
    }
    let word = ahead.call(Ident::parse_any);
    word.is_ok_and(|word| {
        !["from", "to", "require", "unroll", "relabel"].iter().any(|clause| word == clause)
    })
}

/// Reads one demand; none for an unknown word, which was reported.
fn one(
    input: ParseStream,
    diagnostics: &mut Diagnostics,
) -> syn::Result<(Ident, Option<Requirement>)> {
    let (word, meant) = word::one_of(input, "requirement", WORDS, diagnostics)?;
    let plain = |kind| (kind, word.to_token_stream());
    let (kind, tokens) = match meant {
        Some("tables") => plain(Require::Tables),
        Some("static") => plain(Require::Static),
        Some("unrolled") => plain(Require::Unrolled),
        Some(figure) => demand(input, &word, figure)?,
        None => {
            recover::skip_clause(input);
            return Ok((word, None));
        }
    };
    Ok((word, Some(Requirement { kind, tokens })))
}

fn demand(input: ParseStream, word: &Ident, figure: &str) -> syn::Result<(Require, TokenStream)> {
    let least = figure == "stays";
    let expected = |input: ParseStream| recover::expected(input, message::expected_bound(figure));
    let sign = if least { sign::<Token![>=]>(input) } else { sign::<Token![<=]>(input) };
    let sign = sign.ok_or_else(|| expected(input))?;
    let number: LitInt = input.parse().map_err(|_| expected(input))?;
    let value = number.base10_parse().map_err(|error| syn::Error::new(number.span(), error))?;
    let (demand, unit) = match figure {
        "messages" => (Demand::Messages(value), None),
        "steps" => (Demand::Steps(value), None),
        "stays" => percent(input, &number, value)?,
        _ => memory(input, &number, value)?,
    };
    if !number.suffix().is_empty() && !matches!(demand, Demand::Memory(_)) {
        return Err(syn::Error::new(number.span(), message::expected_bound(figure)));
    }
    Ok((Require::Figure(demand), quote!(#word #sign #number #unit)))
}

fn sign<T: Parse + ToTokens>(input: ParseStream) -> Option<TokenStream> {
    input.parse::<T>().ok().map(ToTokens::into_token_stream)
}

type Bound = (Demand, Option<TokenStream>);

fn percent(input: ParseStream, number: &LitInt, value: usize) -> syn::Result<Bound> {
    let sign = sign::<Token![%]>(input)
        .ok_or_else(|| recover::expected(input, message::expected_bound("stays")))?;
    if value > 100 {
        return Err(syn::Error::new(number.span(), message::more_than_all(value)));
    }
    Ok((Demand::Stays(value), Some(sign)))
}

/// Reads bytes, or a unit: a word, or the number's suffix.
fn memory(input: ParseStream, number: &LitInt, value: usize) -> syn::Result<Bound> {
    let word: Option<Ident> = if input.peek(Ident) { Some(input.parse()?) } else { None };
    let (name, span) = match &word {
        Some(word) => (word.to_string(), word.span()),
        None => (number.suffix().to_owned(), number.span()),
    };
    let both = word.is_some() && !number.suffix().is_empty();
    let unit = UNITS.iter().find(|(unit, _)| *unit == name.to_lowercase());
    let power = match unit {
        _ if name.is_empty() => 0,
        Some((_, power)) if !both => *power,
        _ => return Err(syn::Error::new(span, message::unknown_unit(&name))),
    };
    match value.checked_mul(1 << power) {
        Some(bytes) => Ok((Demand::Memory(bytes), word.map(ToTokens::into_token_stream))),
        None => Err(syn::Error::new(number.span(), message::TOO_MANY_BYTES)),
    }
}

#[cfg(test)]
mod tests {
    use crate::ast::Require;
    use crate::diagnostic::message::source_text;
    use crate::tests::spec;
    use redist_plan::plan::Demand;

    const SIDES: &str = "from: cyclic onto 3, to: block onto 3";

    fn item(clauses: &str) -> String {
        format!("struct R: [f64; 9] {{ {SIDES}, {clauses} }}")
    }

    #[test]
    fn a_list_ends_where_a_clause_begins() {
        let found = spec(&item(
            "require: Static, messages <= 6, stays >= 25%, memory <= 3KiB, unrolled, tables: 9",
        ));
        let kinds: Vec<Require> = found.require.iter().map(|required| required.kind).collect();
        let figure = Require::Figure;
        let expected = [
            Require::Static,
            figure(Demand::Messages(6)),
            figure(Demand::Stays(25)),
            figure(Demand::Memory(3072)),
            Require::Unrolled,
        ];
        assert_eq!((&kinds[..], found.tables), (&expected[..], 9));
        let words: Vec<String> =
            found.require.iter().map(|required| source_text(&required.tokens)).collect();
        assert_eq!(
            words,
            ["Static", "messages <= 6", "stays >= 25 %", "memory <= 3KiB", "unrolled"]
        );
        assert!(found.required_tables().is_some_and(|found| found.kind == Require::Static));
    }

    #[test]
    fn memory_has_units() {
        let bytes = |text: &str| match spec(&item(&format!("require: memory <= {text}"))).require[..]
        {
            [ref one] => one.kind,
            _ => panic!("one demand"),
        };
        for (text, expected) in [
            ("5", 5),
            ("5 B", 5),
            ("1_000", 1000),
            ("2 kib", 2048),
            ("64 MiB", 64 << 20),
            ("0x10GiB", 16 << 30),
        ] {
            assert_eq!(bytes(text), Require::Figure(Demand::Memory(expected)), "{text}");
        }
    }
}
