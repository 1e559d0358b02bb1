//! Parses the notation of layouts.

use super::mistake::Mistake;
use super::tokens::{NumberList, Parsed, Token, Tokens};
use crate::arithmetic::saturating_product;
use crate::layout::ranks::end_of_map;
use crate::layout::vocabulary::{
    ALONG, BALANCED, DISTRIBUTIONS, LAST, LISTED, MODIFIERS, OF_FACTORS, ONE_COPY, RANK_ORDERS,
    SCALAPACK, STORAGE_ORDERS, WHOLE, counted, did_you_mean, means_scalapack,
};
use crate::layout::{
    BlockCyclicError, Dist, Factor, FactorDist, Layout, LayoutError, MAX_COPIED_RANKS, RankOrder,
    Ranks, StorageOrder,
};
use core::iter;
use core::ops::Range;

pub(super) fn layout<const D: usize>(tokens: Tokens<'_>) -> Parsed<Layout<D>> {
    match side(tokens)? {
        (layout, None) => Ok(layout),
        (_, Some(copies)) => Err(Mistake { message: ONE_COPY.into(), span: copies.span }),
    }
}

pub(super) fn copies<const D: usize>(tokens: Tokens<'_>) -> Parsed<Vec<Layout<D>>> {
    let (layout, copies) = side(tokens)?;
    let Some(CopiesRead { count, span, along }) = copies else { return Ok(vec![layout]) };
    if count == 0 {
        let message = "a side has at least one copy; write `copies 1`, or leave it out".into();
        return Err(Mistake { message, span });
    }
    if layout.ranks_of_copies(count) > MAX_COPIED_RANKS {
        let message = format!("copies take at most {MAX_COPIED_RANKS} ranks in all; ask for fewer");
        return Err(Mistake { message, span });
    }
    let Some((axis, span)) = along else { return Ok(layout.copies(count)) };
    layout.copies_along(count, axis).map_err(|error| Mistake { message: error.to_string(), span })
}

/// The clause `copies count`.
struct CopiesRead {
    /// Number of copies, perhaps 0.
    count: usize,
    /// Bytes of the clause in the text.
    span: Range<usize>,
    /// The axis that they are along, and its place in the text.
    along: Option<(usize, Range<usize>)>,
}

fn side<const D: usize>(mut tokens: Tokens<'_>) -> Parsed<(Layout<D>, Option<CopiesRead>)> {
    let mut layout = match tokens.peek() {
        Token::Word(word) if means_scalapack(word) => scalapack(&mut tokens)?,
        _ => distributions_onto_grid(&mut tokens)?,
    };
    let mut seen = Vec::new();
    let mut copies = None;
    while let Token::Word(word) = tokens.peek().clone() {
        if seen.contains(&word) {
            return tokens.fail(given_twice(&word));
        }
        if word == "onto" {
            return tokens.fail(another_grid(&tokens));
        }
        if word == "copies" {
            let start = tokens.span().start;
            tokens.advance();
            let count = tokens.number()?;
            let span = tokens.since(start);
            let mut along = None;
            if follows(&mut tokens, ALONG)? {
                let axis = tokens.span();
                along = Some((tokens.number()?, axis));
            }
            copies = Some(CopiesRead { count, span, along });
        } else {
            modifier(&mut tokens, &word, &mut layout)?;
        }
        seen.push(word);
    }
    match tokens.peek() {
        Token::End => Ok((layout, copies)),
        _ => tokens
            .fail("expected a modifier such as `first`, `ranks` or `order`, or the end".into()),
    }
}

fn given_twice(word: &str) -> String {
    format!("`{word}` is given twice; remove one of them")
}

/// Returns the mistake of an `onto` behind the grid, or behind another modifier.
fn another_grid(tokens: &Tokens<'_>) -> String {
    match (tokens.has_read("onto"), tokens.has_read(SCALAPACK)) {
        (true, _) => given_twice("onto"),
        (_, true) => "`scalapack` has the grid among its numbers; leave `onto` out".into(),
        _ => "`onto` stands behind the distributions; write it before the other modifiers".into(),
    }
}

fn distributions_onto_grid<const D: usize>(tokens: &mut Tokens<'_>) -> Parsed<Layout<D>> {
    let start = tokens.span().start;
    let dists =
        if tokens.take(&Token::Mark('(')) { tokens.list(')', dist)? } else { vec![dist(tokens)?] };
    let (span, found) = (tokens.since(start), dists.len());
    let Ok(dists) = <[Dist; D]>::try_from(dists) else {
        let (dimensions, found) = (counted(D, "dimension"), counted(found, "distribution"));
        let mend = "give one of `*`, `block` or `cyclic(size)` for each dimension";
        let message = format!("the array has {dimensions}, but the layout has {found}; {mend}");
        return Err(Mistake { message, span });
    };
    let distributed = dists.iter().filter(|dist| dist.is_distributed()).count();
    let grid = if tokens.take(&Token::Word("onto".into())) {
        let sizes = tokens.sizes()?;
        match sizes.values[..] {
            [] | [1] if distributed == 0 => [1; D],
            _ if distributed == 0 => {
                return Err(Mistake { message: WHOLE.into(), span: sizes.span });
            }
            _ => spread(&dists, &sizes, "onto", 1)?,
        }
    } else if distributed == 0 {
        [1; D]
    } else {
        return Err(missing_grid(tokens, distributed));
    };
    Ok(Layout::new(dists, grid))
}

fn missing_grid(tokens: &Tokens<'_>, distributed: usize) -> Mistake {
    let span = tokens.span();
    match tokens.peek() {
        Token::Word(word) if did_you_mean(word, MODIFIERS) == Some("onto") => {
            tokens.unknown("modifier", MODIFIERS, span)
        }
        _ => {
            let message =
                format!("expected `onto` and the process grid, {}", counted(distributed, "number"));
            Mistake { message, span }
        }
    }
}

fn dist(tokens: &mut Tokens<'_>) -> Parsed<Dist> {
    let span = tokens.span();
    match tokens.advance() {
        Token::Mark('*') => Ok(Dist::Collapsed),
        Token::Word(word) => match word.as_str() {
            "block" if follows(tokens, BALANCED)? => {
                Ok(Dist::Balanced { last: follows(tokens, LAST)? })
            }
            "block" => Ok(block_size(tokens)?.map_or(Dist::Block, Dist::BlockOf)),
            "cyclic" => Ok(Dist::Cyclic(block_size(tokens)?.unwrap_or(1))),
            "gen_block" => {
                let takes = "`gen_block` takes a list of block sizes, one for each rank";
                let sizes = lengths(tokens, span, takes, "gen_block([10, 20, 30])")?;
                tokens.expect(')').map(|()| Dist::gen_block(&sizes))
            }
            "points" => {
                let takes = "`points` takes a list of the rows' lengths";
                let lengths = lengths(tokens, span, takes, "points([20, 27, 32 x 4])")?;
                tokens.expect(')').map(|()| Dist::points(&lengths))
            }
            "blocks" => listed(tokens, span),
            "split" => split(tokens, span),
            "rows" => rows(tokens, span),
            _ => {
                let known = if tokens.has_list() { LISTED } else { DISTRIBUTIONS };
                Err(tokens.unknown("distribution", known, span))
            }
        },
        _ => {
            let words = "`*`, `block`, `block(b)`, `block balanced`, `cyclic`, `cyclic(b)`, `gen_block([..])`, \
                         `blocks([..], [..])`, `rows([..], ..)`, `points([..])` or `split([..], ..)`";
            Err(Mistake { message: format!("expected a distribution: {words}"), span })
        }
    }
}

/// Takes the word, if it is next; fails at a word that is nearly this one.
fn follows(tokens: &mut Tokens<'_>, word: &[&str; 1]) -> Parsed<bool> {
    let Token::Word(next) = tokens.peek() else { return Ok(false) };
    if MODIFIERS.contains(&next.as_str()) || did_you_mean(next, word).is_none() {
        return Ok(false);
    }
    let span = tokens.span();
    if tokens.take(&Token::Word(word[0].into())) {
        return Ok(true);
    }
    Err(tokens.unknown("word", word, span))
}

fn block_size(tokens: &mut Tokens<'_>) -> Parsed<Option<usize>> {
    if !tokens.take(&Token::Mark('(')) {
        return Ok(None);
    }
    if *tokens.peek() == Token::Mark('[') {
        let mend = "a size for each rank is written `gen_block([10, 20, 30])`";
        return tokens.fail(format!("expected one block size, found a list; {mend}"));
    }
    let size = tokens.number()?;
    tokens.expect(')')?;
    Ok(Some(size))
}

fn rows(tokens: &mut Tokens<'_>, word: Range<usize>) -> Parsed<Dist> {
    let takes = "`rows` takes a list of the rows' lengths, and how rows are dealt";
    let lengths = lengths(tokens, word, takes, "rows([20, 27, 32 x 4], cyclic(2))")?;
    let said = "expected `, block` or `, cyclic(rows)`: how the rows are dealt";
    let is = |word: &str| Token::Word(word.into());
    let turn = if !tokens.take(&Token::Mark(',')) {
        return tokens.fail(said.into());
    } else if tokens.take(&is("block")) {
        None
    } else if tokens.take(&is("cyclic")) {
        Some(block_size(tokens)?.unwrap_or(1))
    } else {
        return tokens.fail(said.into());
    };
    let mut points = 1;
    if tokens.take(&Token::Mark(',')) {
        let given = if tokens.take(&is("points")) { block_size(tokens)? } else { None };
        let Some(ranks) = given else {
            let among = "among how many ranks the points of a row are divided";
            return tokens.fail(format!("expected `points(ranks)`: {among}"));
        };
        points = ranks;
    }
    tokens.expect(')')?;
    Ok(Dist::rows(&lengths, turn, points))
}

/// Parses `([3, 7], [1, 0, 1])`: cuts, and the owners of the parts between them.
fn listed(tokens: &mut Tokens<'_>, word: Range<usize>) -> Parsed<Dist> {
    let takes = "`blocks` takes a list of cuts, and a list of the owners of all parts";
    let example = "blocks([10, 30], [1, 0, 1])";
    let cuts = lengths(tokens, word.clone(), takes, example)?;
    if !tokens.take(&Token::Mark(',')) || *tokens.peek() != Token::Mark('[') {
        return tokens.fail(format!("{takes}, as in `{example}`"));
    }
    tokens.advance();
    let owners = repeated(tokens)?;
    tokens.expect(')').map(|()| Dist::blocks(&cuts, &owners))
}

/// Parses `([2, 4096], *, block onto 4)`: the extents of factors, and a distribution for each.
fn split(tokens: &mut Tokens<'_>, word: Range<usize>) -> Parsed<Dist> {
    let takes = "`split` takes the extents of its factors, and a distribution for each";
    let extents = lengths(tokens, word.clone(), takes, "split([2, 4096], *, block)")?;
    let mut factors = Vec::new();
    while tokens.take(&Token::Mark(',')) && *tokens.peek() != Token::Mark(')') {
        let span = tokens.span();
        if factors.len() == extents.len() {
            let factors = counted(extents.len(), "factor");
            let message = format!("`split` lists {factors}; leave out this further distribution");
            return Err(Mistake { message, span });
        }
        let dist = match dist(tokens)? {
            Dist::Collapsed => FactorDist::Collapsed,
            Dist::Block => FactorDist::Block,
            Dist::BlockOf(block) => FactorDist::BlockOf(block),
            Dist::Balanced { last } => FactorDist::Balanced { last },
            Dist::Cyclic(block) => FactorDist::Cyclic(block),
            _ => {
                let error = BlockCyclicError::FactorListed { place: factors.len() };
                return Err(Mistake { message: error.to_string(), span: tokens.since(span.start) });
            }
        };
        let onto = tokens.take(&Token::Word("onto".into()));
        let ranks = if onto { Some(tokens.number()?) } else { None };
        factors.push(Factor { extent: extents[factors.len()], dist, ranks });
    }
    if factors.len() < extents.len() {
        let (extents, found) = (counted(extents.len(), "factor"), factors.len());
        let found = counted(found, "distribution");
        return tokens.fail(format!("`split` lists {extents}, but {found}; give each one"));
    }
    tokens.expect(')').map(|()| Dist::split(&factors))
}

/// Parses `([20, 27, 128 x 12]`, without the closing parenthesis, behind the word at `word`.
fn lengths(
    tokens: &mut Tokens<'_>,
    word: Range<usize>,
    takes: &str,
    example: &str,
) -> Parsed<Vec<usize>> {
    if !(tokens.take(&Token::Mark('(')) && tokens.take(&Token::Mark('['))) {
        return Err(Mistake { message: format!("{takes}, as in `{example}`"), span: word });
    }
    repeated(tokens)
}

/// Parses `20, 27, 128 x 12]`.
fn repeated(tokens: &mut Tokens<'_>) -> Parsed<Vec<usize>> {
    let lists = tokens.list(']', |tokens| {
        let length = tokens.number()?;
        let times = tokens.take(&Token::Word("x".into()));
        let span = tokens.span();
        let count = if times { tokens.number()? } else { 1 };
        if count > MAX_REPEATED {
            let message = format!("a length is repeated at most {MAX_REPEATED} times");
            return Err(Mistake { message, span });
        }
        Ok((length, count))
    })?;
    Ok(lists.into_iter().flat_map(|(length, count)| iter::repeat_n(length, count)).collect())
}

/// Most times that `length x count` may repeat a length.
const MAX_REPEATED: usize = 1 << 20;

fn scalapack<const D: usize>(tokens: &mut Tokens<'_>) -> Parsed<Layout<D>> {
    let word = tokens.span();
    if tokens.advance() != Token::Word(SCALAPACK.into()) {
        return Err(tokens.unknown("distribution", &[SCALAPACK], word));
    }
    let numbers = tokens.sizes()?;
    if D != 2 {
        let message = format!(
            "`scalapack` describes a matrix, but the array has {}; write the distributions out",
            counted(D, "dimension")
        );
        return Err(Mistake { message, span: word });
    }
    if !matches!(numbers.values.len(), 4 | 6) {
        let message = format!(
            "`scalapack` takes 4 or 6 numbers, found {}; write `scalapack(MB, NB, P, Q)` or \
             `scalapack(MB, NB, P, Q, RSRC, CSRC)`",
            numbers.values.len()
        );
        return Err(Mistake { message, span: numbers.span });
    }
    let value = |index| numbers.values.get(index).copied().unwrap_or(0);
    let pair = |index| core::array::from_fn(|dimension| value(index + dimension));
    let dists = core::array::from_fn(|dimension| Dist::Cyclic(value(dimension)));
    Ok(Layout::new(dists, pair(2)).first(pair(4)).storage(StorageOrder::Fortran))
}

fn modifier<const D: usize>(
    tokens: &mut Tokens<'_>,
    word: &str,
    layout: &mut Layout<D>,
) -> Parsed<()> {
    let span = tokens.span();
    tokens.advance();
    match word {
        "first" => layout.first = spread(&layout.dists, &tokens.sizes()?, "first", 0)?,
        "ranks" => ranks(tokens, layout)?,
        "order" => {
            layout.order =
                tokens.choose("rank order", RANK_ORDERS, [RankOrder::Row, RankOrder::Col])?
        }
        "storage" => {
            let orders = [StorageOrder::C, StorageOrder::Fortran];
            layout.storage = tokens.choose("storage order", STORAGE_ORDERS, orders)?;
        }
        "of" => layout.of = Some(of_section(tokens.sizes()?, "of", layout)?),
        "at" if layout.of.is_none() => {
            let message =
                "`at` needs the extents of the stored array before it: `of [..] at [..]`".into();
            return Err(Mistake { message, span });
        }
        "at" => layout.at = of_section(tokens.sizes()?, "at", layout)?,
        "transposed" if D == 2 => layout.axes = core::array::from_fn(|axis| 1 - axis),
        "transposed" => return Err(transposed(D, span)),
        "axes" => layout.axes = permutation(tokens.sizes()?)?,
        _ => return Err(tokens.unknown("modifier", MODIFIERS, span)),
    }
    Ok(())
}

fn transposed(dimensions: usize, span: Range<usize>) -> Mistake {
    let reversed: Vec<String> = (0..dimensions).rev().map(|axis| axis.to_string()).collect();
    let mend = match dimensions {
        1 => "leave it out".into(),
        _ => format!("write for example `axes ({})`", reversed.join(", ")),
    };
    let array = counted(dimensions, "dimension");
    Mistake {
        message: format!(
            "`transposed` swaps the axes of a matrix, but the array has {array}; {mend}"
        ),
        span,
    }
}

fn ranks<const D: usize>(tokens: &mut Tokens<'_>, layout: &mut Layout<D>) -> Parsed<()> {
    let start = tokens.span().start;
    let grid = saturating_product(&layout.grid);
    if tokens.take(&Token::Mark('[')) {
        layout.ranks = rank_map(tokens, start, grid)?;
        return Ok(());
    }
    let base = tokens.number()?;
    layout.ranks = Ranks::From(base);
    if !tokens.take(&Token::Dots) {
        let message =
            "`ranks` takes a range such as `6..10` or `6..`, or a list such as `[3, 1, 4]`";
        return tokens.fail(message.into());
    }
    if let Token::Number(end) = *tokens.peek() {
        tokens.advance();
        if end.checked_sub(base) != Some(grid) {
            let (has, right) = (counted(grid, "rank"), base.saturating_add(grid));
            let message = format!("the grid has {has}; write `ranks {base}..{right}`");
            return Err(Mistake { message, span: tokens.since(start) });
        }
    }
    Ok(())
}

fn rank_map(tokens: &mut Tokens<'_>, start: usize, cells: usize) -> Parsed<Ranks> {
    let places = tokens.list(']', |tokens| {
        let span = tokens.span();
        Ok((tokens.number()?, span))
    })?;
    let ranks: Vec<usize> = places.iter().map(|(rank, _)| *rank).collect();
    // Interned values are kept for good, so a map is interned only after it is checked.
    let Err(error) = end_of_map(&ranks, cells) else { return Ok(Ranks::map(&ranks)) };
    let span = match error {
        LayoutError::RankTwice { second: place, .. } | LayoutError::RankTooHigh { place, .. } => {
            places[place].1.clone()
        }
        _ => tokens.since(start),
    };
    Err(Mistake { message: error.to_string(), span })
}

fn spread<const D: usize>(
    dists: &[Dist; D],
    sizes: &NumberList,
    word: &str,
    default: usize,
) -> Parsed<[usize; D]> {
    let distributed = dists.iter().filter(|dist| dist.is_distributed()).count();
    if sizes.values.len() != distributed {
        let hint = if distributed < D { "; a `*` dimension takes no part of the grid" } else { "" };
        let (takes, found) = (counted(distributed, "number"), sizes.values.len());
        let message = format!("`{word}` takes {takes}, found {found}{hint}");
        return Err(Mistake { message, span: sizes.span.clone() });
    }
    let mut values = sizes.values.iter();
    let size_of = |dist: &Dist| {
        if dist.is_distributed() { values.next().copied() } else { None }
    };
    let spread: Vec<usize> =
        dists.iter().map(size_of).map(|size| size.unwrap_or(default)).collect();
    Ok(core::array::from_fn(|dimension| spread[dimension]))
}

fn each<const D: usize>(sizes: NumberList, word: &str) -> Parsed<[usize; D]> {
    let found = sizes.values.len();
    <[usize; D]>::try_from(sizes.values).map_err(|_| Mistake {
        message: format!("`{word}` takes {}, found {found}", counted(D, "number")),
        span: sizes.span,
    })
}

/// Reads an entry for each dimension, in which no `split` has one for each factor.
fn of_section<const D: usize>(
    sizes: NumberList,
    word: &str,
    layout: &Layout<D>,
) -> Parsed<[usize; D]> {
    let is_split = layout.dists.iter().any(|dist| matches!(dist, Dist::Split(_)));
    each(sizes, word).map_err(|mistake| match is_split {
        true => Mistake { message: mistake.message + OF_FACTORS, ..mistake },
        false => mistake,
    })
}

fn permutation<const D: usize>(sizes: NumberList) -> Parsed<[usize; D]> {
    let span = sizes.span.clone();
    let axes: [usize; D] = each(sizes, "axes")?;
    if (0..D).all(|axis| axes.contains(&axis)) {
        return Ok(axes);
    }
    Err(Mistake { message: format!("`axes` must name each axis of 0..{D} once"), span })
}
