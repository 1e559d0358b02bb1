//! Parses distributions.

use super::{recover, sizes, word};
use crate::ast::{DistAst, Sizes};
use crate::diagnostic::{Diagnostics, message};
use crate::size::{DistSpec, FactorKind, FactorWord, RowsKind, Size};
use proc_macro2::TokenStream;
use redist_plan::layout::BlockCyclicError;
use redist_plan::layout::vocabulary::{BALANCED, DISTRIBUTIONS, LAST, LISTED, did_you_mean};
use syn::parse::{ParseBuffer, ParseStream};
use syn::{Ident, Token, token};

/// Parses `(dist, dist, ...)`, also after a bad one.
pub fn list(input: ParseStream, diagnostics: &mut Diagnostics) -> syn::Result<Vec<DistAst>> {
    let content;
    syn::parenthesized!(content in input);
    let mut dists = Vec::new();
    while !content.is_empty() {
        dists.push(one_or_unknown(&content, diagnostics));
        comma(&content, diagnostics);
    }
    Ok(dists)
}

/// Reads the comma after a distribution; nothing else is lost without it.
fn comma(input: ParseStream, diagnostics: &mut Diagnostics) {
    if input.is_empty() || input.parse::<Token![,]>().is_ok() {
        return;
    }
    diagnostics.push(recover::expected(input, message::EXPECTED_COMMA_BETWEEN_DISTRIBUTIONS));
    if !input.peek(Ident) && !input.peek(Token![*]) {
        recover::skip_to_comma(input);
        recover::skip_one(input);
    }
}

fn one_or_unknown(input: ParseStream, diagnostics: &mut Diagnostics) -> DistAst {
    one(input, diagnostics).unwrap_or_else(|error| {
        diagnostics.push(error);
        recover::skip_to_comma(input);
        DistAst::new(TokenStream::new(), None)
    })
}

pub fn one(input: ParseStream, diagnostics: &mut Diagnostics) -> syn::Result<DistAst> {
    if input.peek(Token![*]) {
        let star: Token![*] = input.parse()?;
        return Ok(DistAst::new(star, Some(DistSpec::Collapsed)));
    }
    if !input.peek(Ident) || recover::at_modifier(input) {
        return Err(recover::expected(input, message::EXPECTED_DISTRIBUTION));
    }
    let keyword: Ident = input.parse()?;
    let mut list = TokenStream::new();
    let mut listed = |sizes: Sizes| {
        list = sizes.tokens;
        sizes.values
    };
    let words = words(input, &keyword);
    let kind = match word::known(&keyword, "distribution", words, diagnostics) {
        Some("block") if follows(input, BALANCED, diagnostics)? => {
            DistSpec::Balanced { last: follows(input, LAST, diagnostics)? }
        }
        Some("block") => {
            block_size(input, &keyword, diagnostics)?.map_or(DistSpec::Block, DistSpec::BlockOf)
        }
        Some("cyclic") => {
            let size = block_size(input, &keyword, diagnostics)?;
            DistSpec::Cyclic(size.unwrap_or_else(|| Size::implied(1)))
        }
        Some("points") => DistSpec::Rows(RowsKind::Points, listed(row_lengths(input, &keyword)?.1)),
        Some("blocks") => {
            let (cuts, sizes) = parts(input, &keyword, diagnostics)?;
            DistSpec::Listed(cuts, listed(sizes))
        }
        Some("split") => {
            let (kinds, sizes) = factors(input, &keyword, diagnostics)?;
            DistSpec::Split(kinds, listed(sizes))
        }
        Some("rows") => {
            let (kind, sizes) = rows(input, &keyword, diagnostics)?;
            DistSpec::Rows(kind, listed(sizes))
        }
        Some(_) => DistSpec::GenBlock(listed(block_sizes(input, &keyword)?)),
        None => {
            let _ = group(input)?.map(|content| recover::skip_rest(&content));
            return Ok(DistAst::new(keyword, None));
        }
    };
    Ok(DistAst { list, ..DistAst::new(keyword, Some(kind)) })
}

/// Returns the distributions that an unknown keyword may stand for: before a list, those with lists.
fn words(input: ParseStream, keyword: &Ident) -> &'static [&'static str] {
    let is_known = DISTRIBUTIONS.contains(&keyword.to_string().to_lowercase().as_str());
    let ahead = input.fork();
    let has_list = || matches!(group(&ahead), Ok(Some(content)) if begins_with_list(&content));
    if is_known || !has_list() { DISTRIBUTIONS } else { LISTED }
}

/// Takes the word, if it is next; a near miss is reported, and read as the word.
pub fn follows(
    input: ParseStream,
    word: &[&'static str; 1],
    diagnostics: &mut Diagnostics,
) -> syn::Result<bool> {
    let near = |next: Ident| did_you_mean(&next.to_string(), word).is_some();
    let is_next = input.peek(Ident) && !recover::at_modifier(input);
    if !is_next || !input.fork().parse().is_ok_and(near) {
        return Ok(false);
    }
    word::known(&input.parse()?, "word", word, diagnostics);
    Ok(true)
}

fn group(input: ParseStream<'_>) -> syn::Result<Option<ParseBuffer<'_>>> {
    if !input.peek(token::Paren) {
        return Ok(None);
    }
    let content;
    syn::parenthesized!(content in input);
    Ok(Some(content))
}

/// Returns `true` if a list in brackets is next, and not the beginning of `[4, 8][0]`.
fn begins_with_list(content: ParseStream) -> bool {
    let ahead = content.fork();
    recover::skip_one(&ahead);
    content.peek(token::Bracket) && (ahead.is_empty() || ahead.peek(Token![,]))
}

fn block_size(
    input: ParseStream,
    keyword: &Ident,
    diagnostics: &mut Diagnostics,
) -> syn::Result<Option<Size>> {
    let Some(content) = group(input)? else { return Ok(None) };
    if content.is_empty() {
        return Err(recover::expected(&content, message::expected_block_size(keyword)));
    }
    if begins_with_list(&content) {
        let error = recover::expected(&content, message::list_for_block_size(keyword));
        recover::skip_rest(&content);
        return Err(error);
    }
    let size = sizes::size(&content)?;
    if !content.is_empty() {
        diagnostics.push(recover::expected(&content, message::one_block_size(keyword)));
        recover::skip_rest(&content);
    }
    Ok(Some(size))
}

fn block_sizes(input: ParseStream, keyword: &Ident) -> syn::Result<Sizes> {
    let wrong = || syn::Error::new_spanned(keyword, message::EXPECTED_BLOCK_SIZES);
    let content = group(input)?.filter(|content| content.peek(token::Bracket)).ok_or_else(wrong)?;
    sizes::sizes(&content, keyword)
}

/// Parses `([length, length, ...]`, without the rest of the parentheses.
fn row_lengths<'a>(
    input: ParseStream<'a>,
    keyword: &Ident,
) -> syn::Result<(ParseBuffer<'a>, Sizes)> {
    let wrong = || syn::Error::new_spanned(keyword, message::expected_row_lengths(keyword));
    let content = group(input)?.filter(|content| content.peek(token::Bracket)).ok_or_else(wrong)?;
    let lengths = sizes::list(&content)?;
    Ok((content, lengths))
}

/// `([cut, cut, ...], [owner, owner, ...])`: the number of cuts, and all numbers.
fn parts(
    input: ParseStream,
    keyword: &Ident,
    diagnostics: &mut Diagnostics,
) -> syn::Result<(usize, Sizes)> {
    let wrong = || syn::Error::new_spanned(keyword, message::EXPECTED_CUTS);
    let content = group(input)?.filter(|content| content.peek(token::Bracket)).ok_or_else(wrong)?;
    let mut sizes = sizes::list(&content)?;
    let cuts = sizes.values.len();
    let owners = || recover::expected(&content, message::EXPECTED_CUTS);
    content.parse::<Token![,]>().map_err(|_| owners())?;
    if !content.peek(token::Bracket) {
        return Err(owners());
    }
    let listed = sizes::list(&content)?;
    sizes.tokens = listed.tokens;
    sizes.values.extend(listed.values);
    if !content.is_empty() {
        diagnostics.push(owners());
        recover::skip_rest(&content);
    }
    Ok((cuts, sizes))
}

/// `([extent, ...], dist [onto ranks], ...)`: the words of factors, and all numbers.
fn factors(
    input: ParseStream,
    keyword: &Ident,
    diagnostics: &mut Diagnostics,
) -> syn::Result<(Vec<FactorKind>, Sizes)> {
    let wrong = || syn::Error::new_spanned(keyword, message::EXPECTED_FACTORS);
    let content = group(input)?.filter(|content| content.peek(token::Bracket)).ok_or_else(wrong)?;
    let mut sizes = sizes::list(&content)?;
    let (mut kinds, mut more) = (Vec::new(), Vec::new());
    while content.parse::<Token![,]>().is_ok() && !content.is_empty() {
        if kinds.len() == sizes.values.len() {
            let error = recover::expected(&content, message::more_factors(kinds.len()));
            recover::skip_rest(&content);
            return Err(error);
        }
        let (kind, numbers) = factor(&content, kinds.len(), diagnostics)?;
        kinds.push(kind);
        more.extend(numbers);
    }
    if kinds.len() < sizes.values.len() || !content.is_empty() {
        let message = message::fewer_factors(sizes.values.len(), kinds.len());
        let error = recover::expected(&content, message);
        recover::skip_rest(&content);
        return Err(error);
    }
    sizes.values.extend(more);
    Ok((kinds, sizes))
}

/// `dist [onto ranks]`: the words of a factor, and its further numbers.
fn factor(
    input: ParseStream,
    place: usize,
    diagnostics: &mut Diagnostics,
) -> syn::Result<(FactorKind, Vec<Size>)> {
    let place_in_text = input.span();
    let dist = one(input, diagnostics)?.kind;
    let (word, block) = match dist {
        Some(DistSpec::Collapsed) | None => (FactorWord::Collapsed, None),
        Some(DistSpec::Block) => (FactorWord::Block, None),
        Some(DistSpec::Balanced { last }) => (FactorWord::Balanced { last }, None),
        Some(DistSpec::BlockOf(size)) => (FactorWord::BlockOf, Some(size)),
        Some(DistSpec::Cyclic(size)) => (FactorWord::Cyclic, Some(size)),
        Some(_) => {
            let error = BlockCyclicError::FactorListed { place };
            recover::skip_rest(input);
            return Err(syn::Error::new(place_in_text, error));
        }
    };
    let onto = input.fork().parse().is_ok_and(|word: Ident| word == "onto");
    let mut sizes: Vec<Size> = block.into_iter().collect();
    if onto {
        input.parse::<Ident>()?;
        sizes.push(sizes::size(input)?);
    }
    Ok((FactorKind { word, onto }, sizes))
}

/// `([length, length, ...], block | cyclic[(size)] [, points(size)])`.
fn rows(
    input: ParseStream,
    keyword: &Ident,
    diagnostics: &mut Diagnostics,
) -> syn::Result<(RowsKind, Sizes)> {
    let (content, mut lengths) = row_lengths(input, keyword)?;
    let dealt = || recover::expected(&content, message::EXPECTED_ROW_DEALING);
    content.parse::<Token![,]>().map_err(|_| dealt())?;
    let word: Ident = content.parse().map_err(|_| dealt())?;
    let cyclic = match word::known(&word, "distribution", &["block", "cyclic"], diagnostics) {
        Some("cyclic") => match block_size(&content, &word, diagnostics)? {
            Some(size) => Some(size),
            None => Some(Size::written(syn::parse_quote!(1))),
        },
        _ => None,
    };
    let is_cyclic = cyclic.is_some();
    lengths.values.extend(cyclic);
    let mut shared = false;
    if content.parse::<Token![,]>().is_ok() && !content.is_empty() {
        let among = || recover::expected(&content, message::EXPECTED_ROW_POINTS);
        let word: Ident = content.parse().map_err(|_| among())?;
        word::known(&word, "word", &["points"], diagnostics);
        lengths.values.push(block_size(&content, &word, diagnostics)?.ok_or_else(among)?);
        shared = true;
    }
    if !content.is_empty() {
        diagnostics.push(recover::expected(&content, message::EXPECTED_ROW_POINTS));
        recover::skip_rest(&content);
    }
    Ok((RowsKind::Rows { cyclic: is_cyclic, shared }, lengths))
}
